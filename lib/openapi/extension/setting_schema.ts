/**
 * The keywords of JSON Schema that the schema of `x-svc` uses, and the TypeScript types of valid values.
 *
 * @module
 */
import type { ExtensionFormat } from "./formats.ts";

/** The schema of a setting, in the keywords of JSON Schema 2020-12 that a Kubernetes custom resource can have too. */
export interface SettingSchema {
  /** The type of the value. A list of types means a string that may also be written as a number. */
  readonly type: "object" | "array" | "string" | "integer" | "number" | "boolean" | typeof INTEGER_OR_STRING;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  /** Alternatives, each of which requires one property: exactly one of these properties must be present. */
  readonly oneOf?: readonly RequiredProperties[];
  /** Alternatives, each of which requires one property: at least one of these properties must be present. */
  readonly anyOf?: readonly RequiredProperties[];
  readonly items?: SettingSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly (string | number)[];
  readonly format?: ExtensionFormat | "double";
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /**
   * The values that new deployments accept: those that the kinds of the Gateway API and of Envoy Gateway can have.
   * Earlier versions accepted more. Another value is reported, but stays in force for definitions that are deployed
   * already, as the nearest value of these bounds.
   */
  readonly deployable?: DeployableBounds;
}

/** Bounds of a value. For numbers 0 is always within them, since it means "none". */
export interface DeployableBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** The largest values of the formats `int32` and `uint32`, which the kinds of Kubernetes use. */
export const INT32 = 2 ** 31 - 1;
export const UINT32 = 2 ** 32 - 1;

/** The `type` of a setting that is a string or a number, such as `200-400` or `200`. */
export const INTEGER_OR_STRING = ["integer", "string"] as const;

export interface RequiredProperties {
  readonly required: readonly [string];
}

/** The TypeScript type of the values that a schema allows. */
export type ValueOf<S> = S extends { enum: readonly (infer Value)[] } ? Value
  : S extends { type: "boolean" } ? boolean
  : S extends { type: "string" } ? string
  : S extends { type: typeof INTEGER_OR_STRING } ? number | string
  : S extends { type: "number" | "integer" } ? number
  : S extends { type: "array"; items: infer Item } ? ValueOf<Item>[]
  : S extends { properties: infer Properties; required: readonly (infer Name)[] }
    ? Fields<Pick<Properties, Name & keyof Properties>> & Partial<Fields<Omit<Properties, Name & keyof Properties>>>
  : S extends { properties: infer Properties } ? Partial<Fields<Properties>>
  : never;

type Fields<Properties> = { -readonly [Name in keyof Properties]: ValueOf<Properties[Name]> };

export const BOOLEAN = { type: "boolean" } as const;
export const PORT = { type: "integer", minimum: 1, maximum: 65535 } as const;
/** Seconds with the bounds of a duration of the Gateway API (GEP-2257): from a millisecond to 99,999 hours. */
export const SECONDS = {
  type: "number",
  format: "double",
  minimum: 0,
  deployable: { minimum: 0.001, maximum: 99_999 * 3600 },
} as const;
export const WHOLE_SECONDS = { type: "integer", minimum: 0, deployable: { maximum: INT32 } } as const;
export const NAME = { type: "string", minLength: 1 } as const;
export const PATH = { type: "string", format: "path", pattern: "^/" } as const;
export const PATH_KEY = { ...PATH, format: "path-key" } as const;
export const URL = { type: "string", format: "http-url", pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" } as const;
export const HOST = { type: "string", format: "host", pattern: "^[-0-9A-Z_a-z.:\\[\\]]+$" } as const;
export const TOKENS = { type: "array", items: { type: "string", format: "token", pattern: "^[^ \\t]+$" } } as const;
