import { expect } from '@jest/globals';
import type { AttackFamily } from '../attack.ts';
import { tally } from '../tally.ts';

/** Floods of the endpoints that are open to strangers. They use up what one address may ask for, so they come last. */
export const signIns: AttackFamily = {
  name: 'sign-ins',
  attacks: [
    {
      name: "guesses the neighbour's password",
      run: async (attacker) => {
        const { email, accessToken } = attacker.scene.neighbour.user;
        const guess = { email, password: 'a wrong password' };
        const login = attacker.client.as(undefined);
        const answers = await attacker.repeat(20, async () => login.post('/api/auth/login', guess), 60);
        const statuses = answers.map(({ status }) => status);
        expect(statuses).toContain(429);
        const refused = answers.find(({ status }) => status === 429);
        expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
        const own = await attacker.client.as(accessToken).get('/api/users/me');
        expect(own.status).toBe(200);
        return `${tally(statuses)}; the neighbour's token still counts`;
      },
    },
    {
      name: 'refreshes with tokens that do not exist',
      run: async (attacker) => {
        const client = attacker.client.as(undefined);
        const statuses = await attacker.repeat(
          20,
          async (index) => (await client.post('/api/auth/refresh', { refresh_token: `none-${index}` })).status,
          300,
        );
        expect(statuses.every((status) => status === 401 || status === 429)).toBe(true);
        return tally(statuses);
      },
    },
    {
      name: 'registers 150 accounts',
      run: async (attacker) => {
        const client = attacker.client.as(undefined);
        const statuses = await attacker.complete(
          20,
          async (index) => {
            const email = `flood-${attacker.user.id}-${index}@example.com`;
            return (await client.post('/api/auth/register', { email, password: 'a long enough password' })).status;
          },
          150,
        );
        expect(statuses).toContain(429);
        return tally(statuses);
      },
    },
  ],
};
