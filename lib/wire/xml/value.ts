import type { Hints } from "../../schema/hints.ts";
import { isObject } from "../../schema/json/node.ts";
import type { Type } from "../../schema/schema.ts";
import { Chooser, type Effort, inside, type ValueBranch } from "../chooser.ts";
import { scalarsOf, toScalar, toValue } from "../text_value.ts";
import type { CreateValidator } from "../chooser.ts";
import {
  copyOf,
  elementSize,
  elementsOf,
  elementText,
  hasParts,
  isNamed,
  isNil,
  named,
  ownAttributes,
  ownText,
  type Remainder,
  take,
  unescapeName,
  wholeOf,
  type XmlElement,
  type XmlName,
} from "./element.ts";
import { Likelihood } from "./likelihood.ts";
import {
  ElementNames,
  hasText,
  isList,
  isXmlScalar,
  itemHints,
  nodeTypeOf,
  PropertyNodes,
  xmlAttributeNameOf,
  xmlObjectOf,
} from "./object.ts";

/**
 * Limit of the objects with `nodeType: none` in one element. Such an object has no element that could be absent, so a
 * recursive schema would describe infinitely many.
 */
const MOST_PARTS = 200;
/** Types that a text may have where its schema allows any type. */
const ANY_SCALAR: { readonly types: ReadonlySet<Type> } = { types: new Set(["number", "boolean", "string"]) };

/**
 * Converts an element to the value that its schema describes: the inverse of `toXml`.
 *
 * Where the schema has branches (`oneOf` and the like), the element is read by one branch after the other until the
 * schema allows the value. If the schema allows none of the values, the element is read by the likeliest branch, or by
 * the whole schema if no branch is likeliest.
 *
 * Where the schema allows any type, an element with attributes or child elements is an object, any other a string. If
 * an enclosing schema refuses this value, the element is read as a number, a boolean, an empty object or an array of
 * one item.
 *
 * Undeclared attributes and elements become properties, which the validator may refuse. A missing element is an empty
 * array only if the property is required.
 */
export function fromXml(
  root: XmlElement,
  hints: Hints,
  createValidator: CreateValidator,
  effort: Effort = "quick",
): unknown {
  return new XmlReader(root, createValidator, effort).valueOf(root, { hints, open: "text" });
}

/** Converts the elements of one document. The readings of an element are memoised, and share a budget. */
class XmlReader {
  readonly #names = new ElementNames();
  readonly #nodes = new PropertyNodes(this.#names);
  readonly #likelihood = new Likelihood(this.#names);
  readonly #chooser: Chooser;
  readonly #effort: Effort;

  constructor(root: XmlElement, createValidator: CreateValidator, effort: Effort) {
    this.#chooser = new Chooser(elementSize(root), createValidator, effort);
    this.#effort = effort;
  }

  valueOf(element: XmlElement, branch: ValueBranch): unknown {
    if (isNil(element)) return null;
    const { hints } = branch;
    // Memoises readings by other branches. The reading by `branch` itself isn't memoised here, since the value that is
    // finally chosen for `branch` is memoised below.
    const attempt = (attempted: ValueBranch): unknown =>
      attempted.hints === hints && attempted.open === branch.open
        ? this.#valueBy(element, attempted)
        : this.#chooser.memoise(element, attempted, () => this.#valueBy(element, attempted));
    return this.#chooser.memoise(element, branch, () => attempt(this.#choose(element, branch, attempt)));
  }

  #choose(element: XmlElement, branch: ValueBranch, attempt: (branch: ValueBranch) => unknown): ValueBranch {
    const { hints } = branch;
    if (hints.branches.length === 0) {
      return this.#effort === "quick" ? branch : this.#chooser.choose(branch, [hints], attempt);
    }
    const { branches, likeliest } = this.#likelihood.rank(element, hints);
    // A text is read by the whole schema first: if one branch allows a string and another a number, `3` is a number.
    return hasParts(element)
      ? this.#chooser.choose(inside(branch, likeliest), branches, attempt)
      : this.#chooser.choose(branch, [hints, ...branches], attempt);
  }

  #valueBy(element: XmlElement, branch: ValueBranch): unknown {
    const value = this.#likelyValue(element, branch);
    if (this.#effort === "quick") return value;
    const others = hasParts(element)
      ? [Array.isArray(value) ? this.#objectOf(element, branch) : this.#arrayOf(element, branch)]
      : otherValues(elementText(element), branch);
    return this.#chooser.chooseValue([value, ...others], branch.hints);
  }

  #likelyValue(element: XmlElement, branch: ValueBranch): unknown {
    const { hints } = branch;
    const { types } = hints;
    if (hasParts(element)) {
      const isArray = types.has("array") && !(types.has("object") && hasProperties(element, hints));
      return isArray ? this.#arrayOf(element, branch) : this.#objectOf(element, branch);
    }
    const text = elementText(element);
    const isBlank = text.trim() === "";
    if (types.size === 0 || isXmlScalar(hints)) return scalarBy(text, branch);
    if (isBlank && types.has("null") && !types.has("object")) return null;
    // Text instead of child elements stays a string, which the validator refuses.
    if (!isBlank && !hasText(hints)) return text;
    return types.has("array") && !types.has("object")
      ? this.#arrayOf(element, branch)
      : this.#objectOf(element, branch);
  }

  #arrayOf(element: XmlElement, branch: ValueBranch): unknown[] {
    const parts = element.children.filter((part) => part.kind === "element" || part.text.trim() !== "");
    return parts.map((part, index) => {
      const item = inside(branch, branch.hints.item(index));
      return part.kind === "element" ? this.valueOf(part, item) : this.#scalarOf(part.text, item);
    });
  }

  #objectOf(element: XmlElement, branch: ValueBranch): Record<string, unknown> {
    const left = wholeOf(element);
    const members = this.#propertiesOf(element, branch, left);
    const names = new Set(members.map(([name]) => name));
    for (const [name, parts] of Map.groupBy([...left.elements], (part) => unescapeName(part.name.local))) {
      if (names.has(name)) continue;
      const hints = branch.hints.property(name);
      const isMany = isList(hints) || parts.length > 1;
      names.add(name);
      members.push([
        name,
        isMany ? this.#itemsOf(parts, inside(branch, hints)) : this.#oneOf(parts, inside(branch, hints)),
      ]);
    }
    for (const { name, value } of ownAttributes([...left.attributes])) {
      const key = unescapeName(name.local);
      if (!names.has(key)) members.push([key, this.#scalarOf(value, inside(branch, branch.hints.property(key)))]);
    }
    return Object.fromEntries(members);
  }

  #itemsOf(parts: readonly XmlElement[], branch: ValueBranch): unknown[] {
    return parts.map((part, index) => this.valueOf(part, inside(branch, branch.hints.item(index))));
  }

  /**
   * Reads a property that has one element. Where its schema allows any type, the value may also be an array of one
   * item.
   */
  #oneOf([element]: readonly XmlElement[], branch: ValueBranch): unknown {
    if (element === undefined) return undefined;
    const value = oneOrList(this.valueOf(element, branch), branch);
    if (this.#effort === "quick") return value;
    return this.#chooser.chooseValue([value, this.#itemsOf([element], branch)], branch.hints);
  }

  #propertiesOf(element: XmlElement, owner: ValueBranch, left: Remainder): [string, unknown][] {
    return [...owner.hints.propertyNames].flatMap((name): [string, unknown][] => {
      const value = this.#propertyOf(element, name, owner, left);
      return value === undefined ? [] : [[name, value]];
    });
  }

  #propertyOf(element: XmlElement, name: string, owner: ValueBranch, left: Remainder): unknown {
    const branch = inside(owner, owner.hints.property(name));
    // Chooses the branch only for an array, whose items are elements of the enclosing element. For any other value,
    // `valueOf` chooses the branch by the content of the element.
    const branches = branch.hints.branches.some(isList) ? branch.hints.branches : [];
    const attempt = (branch: ValueBranch): unknown => this.#propertyBy(element, name, owner, copyOf(left), branch);
    return this.#propertyBy(element, name, owner, left, this.#chooser.choose(branch, branches, attempt));
  }

  #propertyBy(element: XmlElement, name: string, owner: ValueBranch, left: Remainder, branch: ValueBranch): unknown {
    const { hints } = branch;
    const xml = xmlObjectOf(hints);
    const nodeType = nodeTypeOf(hints);
    switch (nodeType) {
      case "attribute": {
        const found = [...left.attributes].find((attribute) => isNamed(attribute.name, xmlAttributeNameOf(xml, name)));
        if (found === undefined) return hints.types.has("null") ? null : undefined;
        left.attributes.delete(found);
        return this.#attributeValue(found.value, branch);
      }
      case "cdata":
      case "text": {
        const text = ownText(element, nodeType);
        if (left.text || text === "" && !owner.hints.required.has(name)) return undefined;
        left.text = true;
        return this.#scalarOf(text, branch);
      }
      case "none":
        if (hints.types.has("array")) return this.#listOf(element, name, owner, left, branch);
        if (hints.types.has("object")) return this.#partOf(element, name, owner.hints, left, branch);
        return left.text ? undefined : this.#scalarOf(elementText(element), branch);
      case "element": {
        const found = this.#takeFor(name, owner, left, this.#names.of(hints, name), branch);
        if (found.length < 2) return this.#oneOf(found, branch);
        // Several elements for a property that isn't an array: the value is an array, which the validator refuses.
        return found.map((part) => this.valueOf(part, branch));
      }
    }
  }

  /**
   * Takes the elements of a property from the remainder. Several properties may have elements of one name: `billing`
   * and `shipping`, for example, that refer to a schema with the XML name `address`. Then each property takes the next
   * element, and an array takes all. Elements stay in the remainder if a later required property needs them, or if only
   * a later property allows them.
   *
   * @param only The branch by which the single element of the property is read; absent for an array.
   */
  #takeFor(
    name: string,
    { hints }: ValueBranch,
    left: Remainder,
    names: readonly XmlName[],
    only?: ValueBranch,
  ): XmlElement[] {
    const namesakes = this.#nodes.namesakesOf(hints, name);
    if (namesakes.length === 0) return take(left, names);
    const found = named([...left.elements], names);
    const needed =
      namesakes.filter((namesake) => hints.required.has(namesake) && !isList(hints.property(namesake))).length;
    const spare = found.length - needed;
    if (only === undefined) return take(left, names, Math.max(0, spare));
    const [next] = found;
    if (next === undefined || hints.required.has(name)) return take(left, names, 1);
    return spare > 0 && (found.length > namesakes.length || this.#chooser.allows(this.valueOf(next, only), only.hints))
      ? take(left, names, 1)
      : [];
  }

  /**
   * Reads an array whose items are elements of the enclosing element. `xsi:nil` means that the array is `null`, where
   * the schema allows this only for the array and not for its items. A single element is a scalar, where the schema
   * allows a scalar too.
   */
  #listOf(element: XmlElement, name: string, owner: ValueBranch, left: Remainder, branch: ValueBranch): unknown {
    const { hints } = branch;
    if (hints.types.has("null") && !hints.item(0).types.has("null")) {
      const nil = named([...left.elements], this.#names.of(hints, name)).find(isNil);
      if (nil !== undefined) {
        left.elements.delete(nil);
        return null;
      }
    }
    const names = itemHints(hints).flatMap((item) => this.#names.of(item, name));
    const found = this.#takeFor(name, owner, left, names);
    const [only] = found;
    if (only === undefined && !this.#nodes.isNeeded(element, name, owner.hints)) return undefined;
    if (only !== undefined && found.length === 1 && isXmlScalar(hints)) return this.valueOf(only, branch);
    return this.#itemsOf(found, branch);
  }

  /** Reads an object with `nodeType: none`: its properties are elements and attributes of the enclosing element. */
  #partOf(element: XmlElement, name: string, owner: Hints, left: Remainder, branch: ValueBranch): unknown {
    if (left.parts === MOST_PARTS) return undefined;
    left.parts++;
    const members = this.#propertiesOf(element, branch, left);
    return members.length === 0 && !owner.required.has(name) ? undefined : Object.fromEntries(members);
  }

  #scalarOf(text: string, branch: ValueBranch): unknown {
    if (this.#effort === "thorough") {
      return this.#chooser.chooseValue([scalarBy(text, branch), ...otherValues(text, branch)], branch.hints);
    }
    const attempt = (branch: ValueBranch): unknown => scalarBy(text, branch);
    const { hints } = branch;
    return attempt(
      this.#chooser.choose(branch, hints.branches.length === 0 ? [] : [hints, ...hints.branches], attempt),
    );
  }

  #attributeValue(text: string, branch: ValueBranch): unknown {
    if (!branch.hints.types.has("array")) return this.#scalarOf(text, branch);
    const pieces = text.trim() === "" ? [] : text.trim().split(/\s+/);
    return toValue(pieces, branch.hints);
  }
}

function hasProperties(element: XmlElement, hints: Hints): boolean {
  return elementsOf(element).some(({ name }) => hints.propertyNames.has(unescapeName(name.local)));
}

/**
 * Wraps a value in an array of one item, where the schema allows any type. Only the last reading tried, `any`, wraps
 * values, and no empty elements.
 */
function oneOrList(value: unknown, { hints, open }: ValueBranch): unknown {
  const isEmpty = value === null || isObject(value) && Object.keys(value).length === 0;
  return open === "any" && hints.types.size === 0 && !isEmpty ? [value] : value;
}

/**
 * Converts a text to a scalar. White space around the text is ignored, unless the type is `string` (XML Schema Part 2,
 * section 4.3.6).
 */
function scalarBy(text: string, { hints, open }: ValueBranch): unknown {
  const isOpen = hints.types.size === 0;
  if (isOpen && open === "any" && text.trim() === "") return {};
  if (isOpen && open !== "text") return toScalar(text, ANY_SCALAR);
  return toScalar(isOpen || hints.types.has("string") ? text : text.trim(), hints);
}

/** The values that a text may stand for besides the likeliest one. */
function otherValues(text: string, branch: ValueBranch): unknown[] {
  const trimmed = text.trim();
  const values = trimmed === text ? scalarsOf(text, branch) : [...scalarsOf(trimmed, branch), text];
  return trimmed === "" ? [...values, {}, []] : values;
}
