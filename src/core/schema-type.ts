import type Library from "typebox";

/**
 * The builders of typebox that schemas are made with, under its types. To load the library itself takes 300 ms of CPU,
 * a third of a start, for the few lines below; a test compares what they make with what the library makes.
 */
type Builders = Pick<
  typeof Library,
  "Array" | "Boolean" | "Integer" | "Object" | "Optional" | "String" | "Unknown" | "Unsafe"
>;

type Schema = Readonly<Record<string, unknown>>;

const optionals = new WeakSet<object>();
const publishedForms = new WeakMap<object, Schema>();

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: "array", items, ...options }),
  Boolean: (options?: Schema) => ({ type: "boolean", ...options }),
  Integer: (options?: Schema) => ({ type: "integer", ...options }),
  Object: (properties: Readonly<Record<string, Schema>>, options?: Schema) => {
    const required = Object.keys(properties).filter((name) => !optionals.has(properties[name] as Schema));
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional: (schema: Schema) => {
    const optional = { ...schema };
    optionals.add(optional);
    const published = publishedForms.get(schema);
    if (published) publishedForms.set(optional, published);
    return optional;
  },
  String: (options?: Schema) => ({ type: "string", ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
};

/**
 * Says how a schema is published, if not as it is checked by: what gives the best faults is not always what generators of
 * code understand.
 */
export function publishedAs<Checked extends object>(published: Schema, checked: Checked): Checked {
  publishedForms.set(checked, published);
  return checked;
}

export function publishedForm(schema: object): object {
  return publishedForms.get(schema) ?? schema;
}

const Type = builders as unknown as Builders;

export default Type;
