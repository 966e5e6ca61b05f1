import { expect, test } from '@jest/globals';
import { onlyFor, type TenantDatabase } from './database.ts';

test('a way to one organization leads to no other one, and to nothing else', async () => {
  const asked: string[] = [];
  const note = async (orgId: string) => {
    asked.push(orgId);
    return [];
  };
  const tenant = { query: note, series: note } as TenantDatabase['tenant'];
  const whole = { tenant, system: 'all of it' };
  const database: TenantDatabase = onlyFor(whole, 'mine');
  await database.tenant.query('mine', { text: 'select 1', values: [] });
  await database.tenant.series('mine', []);
  await expect(database.tenant.query('yours', { text: 'select 1', values: [] })).rejects.toThrow(
    'another organization',
  );
  await expect(database.tenant.series('yours', [])).rejects.toThrow('another organization');
  expect(asked).toEqual(['mine', 'mine']);
  expect(Object.keys(database)).toEqual(['tenant']);
});
