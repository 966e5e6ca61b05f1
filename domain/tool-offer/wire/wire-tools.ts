import { cut } from '../../core/text.ts';
import type { ToolDefinition } from '../../transcripts/model-message.ts';
import { PropertyNames, writeSchema } from './write-schema.ts';
import { type Schema, type SchemaProfile, SchemaTooLarge } from './flatten.ts';

/** Replaces a schema that is too large to be offered: the arguments are still checked by the whole of it. */
const ANY_OBJECT: Schema = { type: 'object', properties: {} };

interface WrittenSchema {
  readonly parameters: Schema;
  readonly names: PropertyNames;
}

/** Builtin tools have the same schemas in every call of a model. */
const written = new WeakMap<SchemaProfile, WeakMap<Schema, WrittenSchema>>();

/** Returns a tool as a wire format takes it: one that a provider refuses makes it refuse the whole request. */
export function toWireTool({ name, description, parameters }: ToolDefinition, profile: SchemaProfile): ToolDefinition {
  return {
    name,
    description: description.trim() === '' ? name : cut(description, profile.maxDescription),
    parameters: writtenOf(parameters, profile).parameters,
  };
}

/** Returns the JSON text of the arguments of a call, which was made by `toWireTool`, in the terms of the tool. */
export function fromWireArguments(
  argumentsText: string,
  { parameters }: ToolDefinition,
  profile: SchemaProfile,
): string {
  return writtenOf(parameters, profile).names.restoreIn(argumentsText);
}

function writtenOf(schema: Schema, profile: SchemaProfile): WrittenSchema {
  const ofProfile = written.get(profile) ?? new WeakMap<Schema, WrittenSchema>();
  written.set(profile, ofProfile);
  const known = ofProfile.get(schema);
  if (known !== undefined) return known;
  const made = write(schema, profile);
  ofProfile.set(schema, made);
  return made;
}

function write(schema: Schema, profile: SchemaProfile): WrittenSchema {
  const names = new PropertyNames();
  try {
    return { parameters: writeSchema(schema, profile, names), names };
  } catch (error) {
    if (!(error instanceof SchemaTooLarge)) throw error;
    return { parameters: ANY_OBJECT, names: new PropertyNames() };
  }
}
