import { expect, test } from '@jest/globals';
import { fieldsOf, labelOf, waysOf } from './integration-values.ts';
import type { IntegrationKind } from './queries.ts';

function kindOf(names: readonly string[], sets: Pick<IntegrationKind, 'alternatives' | 'combinable'>): IntegrationKind {
  const fields = names.map((name) => ({
    name,
    description: '',
    is_optional: true,
    format: 'token' as const,
    is_secret: true,
  }));
  return { fields, ...sets } as unknown as IntegrationKind;
}

const TEAMS = kindOf(['access_token', 'client_id', 'client_secret', 'webhook_url'], {
  alternatives: [['access_token'], ['client_id', 'client_secret'], ['webhook_url']],
  combinable: ['webhook_url'],
});
const namesOf = (kind: IntegrationKind, way: readonly string[]) => fieldsOf(kind, way).map(({ name }) => name);

test('what may be given beside another set is asked for with each of them, and alone', () => {
  expect(waysOf(TEAMS)).toEqual([['access_token'], ['client_id', 'client_secret'], []]);
  expect(namesOf(TEAMS, ['access_token'])).toEqual(['access_token', 'webhook_url']);
  expect(namesOf(TEAMS, ['client_id', 'client_secret'])).toEqual(['client_id', 'client_secret', 'webhook_url']);
  expect(namesOf(TEAMS, [])).toEqual(['webhook_url']);
});

test('there is nothing to choose where all sets may be given at once, or there are none', () => {
  const both = kindOf(['bot_token', 'webhook_url'], {
    alternatives: [['bot_token'], ['webhook_url']],
    combinable: ['bot_token', 'webhook_url'],
  });
  expect(waysOf(both)).toEqual([]);
  expect(namesOf(both, [])).toEqual(['bot_token', 'webhook_url']);
  const plain = kindOf(['token'], { alternatives: [], combinable: [] });
  expect(namesOf(plain, [])).toEqual(['token']);
});

test('nothing at all is one of the ways where a server may let everybody in', () => {
  const server = kindOf(['token', 'user', 'password'], {
    alternatives: [[], ['token'], ['user', 'password']],
    combinable: [],
  });
  expect(waysOf(server)).toEqual([[], ['token'], ['user', 'password']]);
  expect(namesOf(server, [])).toEqual([]);
});

test('names of fields are written as people write them', () => {
  expect(['token', 'api_key', 'client_id', 'service_account_json'].map(labelOf)).toEqual([
    'Token',
    'API key',
    'Client ID',
    'Service account JSON',
  ]);
});
