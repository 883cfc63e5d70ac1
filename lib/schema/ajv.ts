/**
 * What is used of Ajv, a module to be imported when the first schema is checked: a definition can be mocked without.
 * Ajv is CommonJS, whose exports a bundler gives to static imports only, so they stand here and not where they are used.
 *
 * @module
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { Name } from "ajv/dist/compile/codegen/index.js";
import { evaluatedPropsToName } from "ajv/dist/compile/util.js";
import { callRef } from "ajv/dist/vocabularies/core/ref.js";

export { Ajv2020, callRef, evaluatedPropsToName, Name };
