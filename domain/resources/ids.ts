import { recordBy } from '../core/objects/record-by.ts';
import { RESOURCES, type ResourceKey } from './resources.ts';

const WITH_IDS = (Object.keys(RESOURCES) as ResourceKey[]).flatMap((resource) => {
  const declared = RESOURCES[resource];
  return 'idName' in declared ? [{ resource, idName: declared.idName }] : [];
});

/** The name of a parameter that holds the id of a record. */
export type IdName = (typeof WITH_IDS)[number]['idName'];

/** The resource whose records a parameter names. */
export const RESOURCE_OF_ID: Readonly<Record<IdName, ResourceKey>> = recordBy(
  WITH_IDS,
  'idName',
  ({ resource }) => resource,
);
