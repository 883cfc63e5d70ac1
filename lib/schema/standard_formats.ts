/**
 * The formats of JSON Schema, as regular expressions and functions of ajv-formats. The package evaluates no code and
 * doesn't need Ajv. This is a module of its own so that it can be imported dynamically, when the first format is
 * needed. The package itself can't be: it is CommonJS, whose exports a bundler provides to static imports only.
 *
 * @module
 */
import { fullFormats } from "ajv-formats/dist/formats.js";

export { fullFormats };
