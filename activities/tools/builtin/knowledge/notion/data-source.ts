import { z } from 'zod';
import { pathOf } from '../../services/path-of.ts';
import type { Service } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { readAnswer } from '../../services/read-answer.ts';
import { typedProperties } from './properties.ts';

const NOT_FOUND = 404;
const database = z.object({ data_sources: z.array(z.object({ id: z.string(), name: z.string().catch('') })) });
const dataSource = z.object({ id: z.string(), properties: typedProperties });

/**
 * Returns the data source of a database with the types of its properties. The id may be that of the data source itself,
 * which is necessary where a database has several.
 */
export async function dataSourceOf(id: string, service: Service): Promise<z.output<typeof dataSource>> {
  const answer = await service.request({ path: `/databases/${id}`, effect: 'read', accepts: [NOT_FOUND] });
  const sourceId = answer.status === NOT_FOUND ? id : onlySource(readAnswer(answer, database).data_sources);
  const path = pathOf`/data_sources/${sourceId}`;
  return readAnswer(await service.request({ path, effect: 'read' }), dataSource);
}

function onlySource(sources: z.output<typeof database>['data_sources']): string {
  const [first, second] = sources;
  if (first === undefined) throw new ToolFailure('not_found', 'The database has no data source');
  if (second === undefined) return first.id;
  const names = sources.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new ToolFailure('invalid_input', `The database has several data sources: give one of ${names}`, {
    isForeign: true,
  });
}
