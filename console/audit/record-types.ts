import { RESOURCE_KEYS, resourceOf } from '../../domain/resources/index.ts';

/** The types of records that entries are about, by their names in the log, to choose from. */
export const RECORD_TYPES = RESOURCE_KEYS.map((key) => ({ value: key, label: resourceOf(key).name }));
