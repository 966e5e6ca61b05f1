import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { emptySince } from '../../db/users/index.ts';
import { defineRoute } from '../http/define-route.ts';

const serverSchema = z
  .object({
    version: z.string(),
    registration: z
      .enum(['open', 'invite', 'closed'])
      .meta({ description: 'Who may create an account: anybody, holders of an invite, nobody' }),
    has_accounts: z.boolean().meta({ description: 'False on a server that nobody has registered on yet' }),
    needs_setup_token: z.boolean().meta({
      description: 'Whether the next account is the first one, which takes the token that the api has logged',
    }),
  })
  .meta({ id: 'Server' });

/** Tells a page, before anybody has signed in, what it can offer. */
export const describeServerRoute = defineRoute({
  resource: 'health',
  method: 'get',
  path: '/api/server',
  access: 'public',
  tag: 'Health',
  operationId: 'describeServer',
  summary: 'The version of the server, and who may create an account',
  response: { status: 200, description: 'What the server offers to strangers', schema: serverSchema },
  handler: async (_input, { database, registration }) => {
    const isEmpty = (await emptySince(database)) !== undefined;
    return {
      version: packageJson.version,
      registration,
      has_accounts: !isEmpty,
      needs_setup_token: isEmpty && registration !== 'open',
    };
  },
});
