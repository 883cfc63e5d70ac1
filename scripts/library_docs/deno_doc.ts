/**
 * The output of `deno doc --json` for a module (version 2 of its format), with the properties that docs/library.md
 * needs.
 *
 * @module
 */

export interface Declaration extends Documented {
  name: string;
  kind: "function" | "class" | "interface" | "typeAlias";
  def: Definition;
}

/** The contents of a declaration: of a class, an interface, a function or a type alias. */
export interface Definition extends Callable {
  /** The superclass of a class, or the interfaces that an interface extends. */
  extends?: string | Type[];
  typeParams?: { name: string }[];
  properties?: Property[];
  methods?: Method[];
  callSignatures?: (Callable & Documented)[];
  /** The type that an alias stands for. */
  tsType?: Type;
}

export interface Property extends Documented {
  name: string;
  tsType?: Type;
  optional?: boolean;
  readonly?: boolean;
}

/** A method. A class has its parameters in `functionDef`, an interface in the method itself. */
export interface Method extends Callable, Documented {
  name: string;
  kind: "method" | "getter" | "setter";
  functionDef?: Callable;
}

/** The parameters and the return type of a function or method. */
export interface Callable {
  params?: Parameter[];
  returnType?: Type;
}

/** A parameter. The kind `assign` has a default value. */
export type Parameter =
  | { kind: "identifier"; name: string; optional: boolean; tsType?: Type }
  | { kind: "assign"; left: Parameter }
  | { kind: "object"; tsType?: Type };

/** A declaration with a doc comment. */
export interface Documented {
  jsDoc?: { doc?: string; tags?: Tag[] };
}

/** A tag of a doc comment, such as `@param`. */
export interface Tag {
  kind: string;
  name?: string;
  doc?: string;
  tsType?: Type;
}

/** A type. `repr` is its name or its keyword. */
export type Type =
  | { kind: "typeRef"; value: { typeName: string; typeParams?: Type[] } }
  | { kind: "keyword"; repr: string }
  | { kind: "literal"; repr: string; value: { kind: string } }
  | { kind: "union" | "intersection"; value: Type[] }
  | { kind: "array"; value: Type }
  | { kind: "typeOperator"; value: { operator: string; tsType: Type } }
  | { kind: "typeLiteral"; value: { properties?: Property[] } }
  | { kind: "fnOrConstructor"; value: { params: Parameter[]; tsType: Type } };

/** Lists the exported declarations of a module, in the order of `deno doc`. */
export async function readDeclarations(module: URL): Promise<Declaration[]> {
  const args = ["doc", "--json", module.pathname];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { version, nodes }: { version: number; nodes: Record<string, { symbols: Exported[] }> } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  if (version !== 2) throw new Error(`deno doc --json has version ${version} instead of 2.`);
  return Object.values(nodes).flatMap(({ symbols }) =>
    symbols.flatMap(({ name, declarations }) => declarations.map((declaration) => ({ ...declaration, name })))
  );
}

interface Exported {
  name: string;
  declarations: Omit<Declaration, "name">[];
}
