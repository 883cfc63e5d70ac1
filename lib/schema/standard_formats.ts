/**
 * The formats of JSON Schema, as regular expressions and functions of ajv-formats. The package evaluates no code and
 * doesn't need Ajv. A module of its own, to be imported with the first format: the package is CommonJS, whose exports a
 * bundler gives to static imports only.
 *
 * @module
 */
import { fullFormats } from "ajv-formats/dist/formats.js";

export { fullFormats };
