import { cut } from '../../core/text.ts';
import type { ToolDefinition } from '../../transcripts/index.ts';
import { PropertyNames } from './property-names.ts';
import type { Schema, SchemaProfile } from './schema-profile.ts';
import { writeSchema } from './write-schema.ts';

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
  const names = new PropertyNames();
  const made = { parameters: writeSchema(schema, profile, names), names };
  ofProfile.set(schema, made);
  return made;
}
