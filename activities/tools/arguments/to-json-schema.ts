import { z } from 'zod';
import type { ToolParameters } from '../tool.ts';

/** Returns the JSON Schema of a tool's parameters for the model. */
export function toJsonSchema(parameters: z.ZodObject): ToolParameters {
  const { $schema: _schema, ...schema } = z.toJSONSchema(parameters, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // Neither adds information: every name is a string, and undescribed values may be anything.
      delete jsonSchema.propertyNames;
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
      const types = plainTypes(jsonSchema.anyOf);
      if (types === undefined) return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: types });
    },
  });
  return schema;
}

function isEmpty(schema: z.core.JSONSchema._JSONSchema | undefined): boolean {
  return typeof schema === 'object' && Object.keys(schema).length === 0;
}

// Alternatives that are plain types become one list of types, which all providers accept.
function plainTypes(anyOf: readonly z.core.JSONSchema._JSONSchema[] = []): string[] | undefined {
  const types = anyOf.flatMap((each) =>
    typeof each === 'object' && Object.keys(each).length === 1 && typeof each.type === 'string' ? [each.type] : [],
  );
  return types.length > 1 && types.length === anyOf.length ? types : undefined;
}
