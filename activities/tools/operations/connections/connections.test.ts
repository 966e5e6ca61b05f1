import { describe, expect, test } from '@jest/globals';
import type { IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import { endpointOf } from './connections.ts';

const at = (kind: IntegrationKindKey, apiUrl: string) => () =>
  endpointOf({ kind, name: 'stored', apiUrl, settings: {}, secrets: {}, mask: (text) => text });

describe('the address of an integration', () => {
  test.each<[IntegrationKindKey, string, string]>([
    ['postgres', 'postgres://h/a%20db/', 'a db'],
    ['redis', 'redis://h', ''],
    ['redis', 'redis://h/15', '15'],
  ])('of %s at %s has the path %j', (kind, address, path) => {
    expect(at(kind, address)()).toMatchObject({ host: 'h', path });
  });

  test.each<[IntegrationKindKey, string, string]>([
    ['postgres', 'postgres://h/db%00application_name%00X%00search_path%00evil', 'control characters'],
    ['mysql', 'mysql://h/db%0a', 'control characters'],
    ['redis', 'redis://h/0%0d%0aHELO%20evil', 'control characters'],
    ['redis', 'redis://h/0%20', 'number of a database'],
    ['postgres', 'postgres://h/%ff', 'no text'],
  ])('of %s is not connected to when it is %s', (kind, address, words) => {
    expect(at(kind, address)).toThrow(words);
  });
});
