/**
 * Exports the formats of JSON Schema from ajv-formats: regular expressions and functions, which need neither Ajv nor
 * `eval`.
 *
 * This module exists to be imported dynamically, when a schema first needs a format. The package itself can't be: it is
 * CommonJS, and bundlers provide the named exports of CommonJS to static imports only.
 *
 * @module
 */
import { fullFormats } from "ajv-formats/dist/formats.js";

export { fullFormats };
