/**
 * The formats that Ajv checks, a module to be imported when the first format is asked for. CommonJS, as in ajv.ts.
 *
 * @module
 */
import { fullFormats } from "ajv-formats/dist/formats.js";

export { fullFormats };
