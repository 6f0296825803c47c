// The API's documentation, made from its OpenAPI document; requests with a JSON body can be tried.

import { make } from "./views/elements.js";

const spec = await (await fetch("openapi.json")).json();
const schemaAt = (reference) =>
  reference
    .split("/")
    .slice(1)
    .reduce((found, key) => found[key], spec);
const resolve = (schema) => (schema?.$ref ? schemaAt(schema.$ref) : (schema ?? {}));

// `code` in a text, as in Markdown, of which nothing else is supported.
const prose = (text) => text.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));

// The type of a schema as in TypeScript: string, number[], Term, "a" | "b".
function typeName(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf)
    return schema.anyOf
      .map(typeName)
      .filter((name) => name !== "null")
      .join(" | ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeName).join(", ")}]`;
  if (schema.type === "array") return `${schema.items ? typeName(schema.items) : "any"}[]`;
  return schema.type ?? "any";
}

function fieldTable(schema) {
  const { properties = {}, required = [], description } = resolve(schema);
  const rows = Object.entries(properties).map(([name, field]) => {
    const preset =
      field.default === undefined || field.default === null ? "" : ` (${JSON.stringify(field.default)})`;
    const label = required.includes(name) ? make("strong", {}, name) : name;
    return make(
      "tr",
      {},
      make("td", {}, make("code", {}, label)),
      make("td", {}, typeName(field) + preset),
      make("td", {}, ...prose(field.description ?? "")),
    );
  });
  const table = make("table", { className: "fields" }, make("tbody", {}, ...rows));
  return [
    ...(description ? [make("p", { className: "hint" }, ...prose(description))] : []),
    ...(rows.length ? [table] : []),
  ];
}

// The schemas that a field table refers to, each once.
function nested(schema, seen) {
  const references = [...JSON.stringify(resolve(schema)).matchAll(/"\$ref":"([^"]+)"/g)].map(
    (match) => match[1],
  );
  return [...new Set(references)]
    .filter((reference) => !seen.has(reference))
    .flatMap((reference) => {
      seen.add(reference);
      const inner = { $ref: reference };
      return [make("h3", {}, typeName(inner)), ...fieldTable(inner), ...nested(inner, seen)];
    });
}

function described(title, schema) {
  const found = [...fieldTable(schema), ...nested(schema, new Set([schema?.$ref]))];
  return found.length ? [make("h3", {}, title), ...found] : [];
}

function tryForm(method, path, example) {
  const input = make("textarea", {
    rows: 9,
    value: JSON.stringify(example, null, 2),
    spellcheck: false,
    ariaLabel: "Request",
  });
  const output = make("pre", { hidden: true });
  const button = make("button", { type: "button" }, "Try it");
  button.addEventListener("click", async () => {
    const response = await fetch(path.slice(1), {
      method,
      body: input.value,
      headers: { "Content-Type": "application/json" },
    });
    const text = await response.text();
    output.hidden = false;
    try {
      output.textContent = `${response.status}\n${JSON.stringify(JSON.parse(text), null, 2)}`;
    } catch {
      output.textContent = `${response.status}\n${text}`;
    }
  });
  return make("div", { className: "try" }, input, button, output);
}

function operation(path, method, about) {
  const body = about.requestBody?.content?.["application/json"]?.schema;
  const good = Object.entries(about.responses).find(([code]) => code.startsWith("2"))?.[1];
  const bad = Object.entries(about.responses).filter(([code]) => !code.startsWith("2"));
  const response = good?.content?.["application/json"]?.schema;
  const example = resolve(body).examples?.[0];
  const parameters = (about.parameters ?? []).map((one) => [
    one.name,
    { ...one.schema, description: one.description },
  ]);
  const parameterSchema = {
    properties: Object.fromEntries(parameters),
    required: (about.parameters ?? []).filter((one) => one.required).map((one) => one.name),
  };
  const title = make(
    "summary",
    {},
    make("span", { className: "method" }, method.toUpperCase()),
    make("code", {}, path),
    about.summary ?? "",
  );
  const problems = bad.map(([code, { description }]) =>
    make("li", {}, make("code", {}, code), " ", ...prose(description)),
  );
  return make(
    "details",
    {},
    title,
    ...(about.description ? [make("p", {}, ...prose(about.description))] : []),
    ...described("Parameters", parameterSchema),
    ...(body ? described("Request", body) : []),
    ...(example ? [make("h3", {}, "Example"), tryForm(method.toUpperCase(), path, example)] : []),
    ...(response
      ? described("Response", response.items ?? response)
      : [make("p", { className: "hint" }, ...prose(good?.description ?? ""))]),
    ...(problems.length ? [make("h3", {}, "Errors"), make("ul", { className: "hint" }, ...problems)] : []),
  );
}

const groups = new Map();
for (const [path, methods] of Object.entries(spec.paths)) {
  for (const [method, about] of Object.entries(methods)) {
    const tag = about.tags?.[0] ?? "Other";
    groups.set(tag, [...(groups.get(tag) ?? []), operation(path, method, about)]);
  }
}
document.querySelector("#description").append(
  ...spec.info.description
    .trim()
    .split("\n\n")
    .map((part) => make("p", {}, ...prose(part))),
);
for (const [tag, operations] of groups)
  document.querySelector("#operations").append(make("h2", {}, tag), ...operations);
