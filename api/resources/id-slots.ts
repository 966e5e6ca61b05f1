import { z } from 'zod';
import type { ResourceKey } from '../../domain/resources/index.ts';
import type { Route } from '../http/define-route.ts';
import { idFieldOf } from './id-fields.ts';

/** A path segment that leads to each element of a list. */
export const EACH = '[]';

/** A position in a request that holds ids, by its schema. */
export interface IdSlot {
  readonly part: 'params' | 'query' | 'body';
  /** The names of the fields that lead to it, outermost first. */
  readonly way: readonly string[];
  /** Undefined for the id of any record. */
  readonly resource: ResourceKey | undefined;
  readonly isFilter: boolean;
}

/** Returns every position of a route's requests that holds ids. */
export function idSlotsOf(route: Pick<Route, 'params' | 'query' | 'body'>): IdSlot[] {
  return (['params', 'query', 'body'] as const).flatMap((part) => slotsIn(route[part], { part, way: [] }));
}

function slotsIn(schema: z.core.$ZodType | undefined, place: Pick<IdSlot, 'part' | 'way'>): IdSlot[] {
  const field = schema && idFieldOf(schema);
  if (field !== undefined) return [{ ...place, ...field }];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, inner]) => slotsIn(inner, below(place, name)));
  if (schema instanceof z.ZodArray) return slotsIn(schema.element, below(place, EACH));
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => slotsIn(option, place));
  if (schema instanceof z.ZodPipe) return slotsIn(schema.in, place);
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? slotsIn(schema.unwrap(), place) : [];
}

function below({ part, way }: Pick<IdSlot, 'part' | 'way'>, name: string): Pick<IdSlot, 'part' | 'way'> {
  return { part, way: [...way, name] };
}

/** Returns the ids at a position in the data of a request. */
export function idsAt(data: unknown, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) return typeof data === 'string' ? [data] : [];
  if (step === EACH) return Array.isArray(data) ? data.flatMap((element) => idsAt(element, rest)) : [];
  return typeof data === 'object' && data !== null ? idsAt(Reflect.get(data, step), rest) : [];
}
