type Fields = Readonly<Record<string, unknown>>;

/** A tool as a request offers it, whatever its wire format. */
interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Fields;
}

const TOP_LEVEL = ['oneOf', 'anyOf', 'allOf', 'enum', 'not', 'const', '$ref'];
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** What Google lists for `parametersJsonSchema`, without what is for references. */
const KEYWORDS_OF_GEMINI = new Set(
  `type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties
    additionalProperties required propertyOrdering`.split(/\s+/),
);
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems'];
const MAX_LEVELS = 30;
const MAX_CHARACTERS = 200_000;

/**
 * Returns why a provider would respond with 400 to the tools of a request, by what the published APIs of OpenAI,
 * Anthropic, Google and Amazon refuse; undefined when they take them all. A lenient fake would hide a schema that stops
 * an agent.
 */
export function toolsIssue(streamType: string, body: Fields): string | undefined {
  for (const [at, { name, description, schema }] of toolsOf(body).entries()) {
    const issue = rootIssue(schema) ?? schemaIssue(schema, streamType, 0);
    if (issue !== undefined) return `tools.${at}: Invalid schema for function '${name}': ${issue}`;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `tools.${at}.name: string does not match pattern`;
    if (description === '') return `tools.${at}.description: must have a length of at least 1`;
    if (streamType === 'openai_compat' && description.length > 1_024) return `tools.${at}.description: string too long`;
  }
  return undefined;
}

function toolsOf({ tools, toolConfig }: Fields): readonly OfferedTool[] {
  return [...listOf(tools), ...listOf((toolConfig as Fields | undefined)?.['tools'])].flatMap((tool) =>
    listOf(tool['functionDeclarations'] ?? [tool['function'] ?? tool['toolSpec'] ?? tool]).map((each) => ({
      name: String(each['name']),
      description: String(each['description']),
      schema: (each['parameters'] ??
        each['input_schema'] ??
        each['parametersJsonSchema'] ??
        (each['inputSchema'] as Fields | undefined)?.['json'] ??
        {}) as Fields,
    })),
  );
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value : [];
}

function rootIssue(schema: Fields): string | undefined {
  const combinator = TOP_LEVEL.find((keyword) => keyword in schema);
  if (schema['type'] !== 'object' || combinator !== undefined)
    return `schema must have type 'object' and not have '${combinator ?? ''}' at the top level`;
  if (typeof schema['properties'] !== 'object') return 'object schema missing properties';
  return JSON.stringify(schema).length > MAX_CHARACTERS ? 'schema is too large' : undefined;
}

function schemaIssue(schema: unknown, streamType: string, level: number): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'a schema is not an object';
  if (level > MAX_LEVELS) return 'schema nests too deeply';
  const fields = schema as Fields;
  const properties = (fields['properties'] ?? {}) as Fields;
  const inner = [
    ...Object.values(properties),
    ...['items', 'additionalProperties'].flatMap((name) =>
      typeof (fields[name] ?? true) === 'boolean' ? [] : fields[name],
    ),
    ...listOf(fields['anyOf']),
    ...listOf(fields['oneOf']),
  ];
  return (
    keywordIssue(fields, streamType) ??
    Object.keys(properties)
      .filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
      .map((name) => `property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$': ${name}`)[0] ??
    inner.map((each) => schemaIssue(each, streamType, level + 1)).find((issue) => issue !== undefined)
  );
}

function keywordIssue(fields: Fields, streamType: string): string | undefined {
  const unknown = Object.keys(fields).find((name) => name.startsWith('$') || !isKnown(name, streamType));
  if (unknown !== undefined) return `unknown keyword '${unknown}'`;
  return typeIssue(fields) ?? requiredIssue(fields) ?? valueIssue(fields);
}

function typeIssue({ type, items }: Fields): string | undefined {
  const types: unknown[] = type === undefined ? [] : [type].flat();
  if (types.some((each) => !TYPES.has(String(each))) || (Array.isArray(type) && type.length === 0))
    return `'${JSON.stringify(type)}' is not valid under any of the given schemas`;
  const lacksItems = types.includes('array') && (typeof items !== 'object' || Array.isArray(items));
  return lacksItems ? 'array schema missing items' : undefined;
}

function requiredIssue({ required = [], properties = {} }: Fields): string | undefined {
  const names = required as readonly string[];
  if (names.some((name) => !Object.hasOwn(properties as Fields, name))) return 'required: property is not defined';
  return new Set(names).size === names.length ? undefined : 'required has non-unique elements';
}

function valueIssue(fields: Fields): string | undefined {
  const { enum: choices = [0], pattern = '^$', format = '', description = '' } = fields;
  if (listOf(choices).length === 0) return 'enum: should be non-empty';
  if ([format, description, pattern].some((each) => typeof each !== 'string')) return 'is not a string';
  if (!/^\^.*\$$/s.test(pattern as string)) return 'Pattern must start with ^ and end with $';
  return BOUNDS.some((name) => name in fields && typeof fields[name] !== 'number') ? 'a bound is no number' : undefined;
}

function isKnown(name: string, streamType: string): boolean {
  if (streamType === 'gemini') return KEYWORDS_OF_GEMINI.has(name);
  return !['definitions', 'id', 'allOf', 'not', 'if', 'then', 'else', 'nullable'].includes(name);
}
