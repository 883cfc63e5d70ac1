/**
 * Writes types and signatures in the syntax of TypeScript.
 *
 * @module
 */
import type { Callable, Parameter, Property, Type } from "./deno_doc.ts";

/** Limit of the members of a union that are written; the others become `…`. */
const MOST_MEMBERS = 12;

/** Writes a type: `readonly Document[]`. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case "keyword":
      return type.repr;
    case "literal":
      return type.value.kind === "string" ? JSON.stringify(type.repr) : type.repr;
    case "typeRef":
      return type.value.typeName + typeArguments(type.value.typeParams);
    case "array":
      return `${operandText(type.value)}[]`;
    case "typeOperator":
      return `${type.value.operator} ${typeText(type.value.tsType)}`;
    case "union":
      return unionText(type.value);
    case "intersection":
      return type.value.map(operandText).join(" & ");
    case "typeLiteral":
      return `{ ${(type.value.properties ?? []).map(propertyText).join("; ")} }`;
    case "fnOrConstructor":
      return `(${parameterTexts(type.value.params)}) => ${typeText(type.value.tsType)}`;
  }
}

/** Writes a property: `seed?: number`. */
export function propertyText({ name, optional = false, tsType }: Property): string {
  return `${name}${optional ? "?" : ""}: ${optionalTypeText(tsType)}`;
}

/** Writes the signature of a function: `parseOverlay(text: string): Promise<Overlay>`. */
export function signatureText(name: string, { params = [], returnType }: Callable): string {
  return `${name}(${parameterTexts(params)})${returnType === undefined ? "" : `: ${typeText(returnType)}`}`;
}

/** The distinct names of the types inside some types. */
export function namesIn(types: readonly (Type | undefined)[]): string[] {
  const names = new Set<string>();
  const visit = (type: Type | undefined): void => {
    if (type === undefined || type.kind === "keyword" || type.kind === "literal") return;
    if (type.kind === "typeRef") {
      names.add(type.value.typeName);
      type.value.typeParams?.forEach(visit);
    } else if (type.kind === "array") visit(type.value);
    else if (type.kind === "typeOperator") visit(type.value.tsType);
    else if (type.kind === "typeLiteral") type.value.properties?.forEach(({ tsType }) => visit(tsType));
    else if (type.kind === "fnOrConstructor") {
      [...typesOfParameters(type.value.params), type.value.tsType].forEach(visit);
    } else type.value.forEach(visit);
  };
  types.forEach(visit);
  return [...names];
}

export function typesOfParameters(parameters: readonly Parameter[]): (Type | undefined)[] {
  return parameters.map((parameter) => named(parameter).tsType);
}

function parameterTexts(parameters: readonly Parameter[]): string {
  return parameters.map((parameter) => propertyText(named(parameter))).join(", ");
}

/**
 * Converts a parameter to a property. A parameter with a default value is optional. A destructured one has no name and
 * is called `options`.
 */
function named(parameter: Parameter): Property {
  if (parameter.kind === "assign") return { ...named(parameter.left), optional: true };
  return parameter.kind === "object" ? { ...parameter, name: "options" } : parameter;
}

function optionalTypeText(type: Type | undefined): string {
  return type === undefined ? "unknown" : typeText(type);
}

function unionText(members: readonly Type[]): string {
  const texts = members.map(operandText);
  if (texts.length <= MOST_MEMBERS) return texts.join(" | ");
  return `${texts.slice(0, MOST_MEMBERS).join(" | ")} | … (${texts.length - MOST_MEMBERS} more)`;
}

/** Writes a type as an operand of an operator: puts functions and unions in parentheses. */
function operandText(type: Type): string {
  const needsParentheses = type.kind === "fnOrConstructor" || type.kind === "union" || type.kind === "intersection";
  return needsParentheses ? `(${typeText(type)})` : typeText(type);
}

function typeArguments(types: readonly Type[] | undefined): string {
  return types === undefined ? "" : `<${types.map(typeText).join(", ")}>`;
}
