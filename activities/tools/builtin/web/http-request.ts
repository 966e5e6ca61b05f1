import { z } from 'zod';
import { maskSecrets } from '../../../../domain/secrets/index.ts';
import { defineTool } from '../../define-tool.ts';
import { propertiesParameter } from '../properties-parameter.ts';
import { buildRequest, effectOfRequest } from './build-request.ts';
import { addressLabel } from './address-label.ts';
import { describeRequest } from '../../requests/describe-request.ts';
import { presentAnswer } from '../../requests/present-answer.ts';
import { sendRequest } from '../../requests/send-request.ts';

const MAX_TEXT = 8_192;
const MAX_VALUES = 200;
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const parameters = z.strictObject({
  url: z.string().min(1).max(MAX_TEXT).describe('Address, beginning with https:// or http://.'),
  method: z
    .enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('GET when left out.'),
  headers: propertiesParameter(z.string().max(MAX_TEXT), 64).optional().describe('Headers by name.'),
  query: propertiesParameter(z.union([scalar, z.array(scalar).max(MAX_VALUES)]), MAX_VALUES)
    .optional()
    .describe('Query parameters, added encoded; an array gives one several times.'),
  body: z.unknown().optional().describe('A text is sent as it is, any other value as JSON.'),
  timeout_s: z.int().min(1).max(120).optional().describe('Seconds to wait for the whole answer; 30 when left out.'),
  follow_redirects: z.boolean().optional().describe('Whether redirects are followed; true when left out.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[\x21-\x7e]+$/)
    .optional()
    .describe(
      'Sent as the header Idempotency-Key. Give one when the receiver honours it: a request that changes something is repeated after a crash only with one.',
    ),
});

/** Arguments of `http_request`. */
export type HttpArguments = z.output<typeof parameters>;

/** Makes one HTTP request. */
export const httpRequest = defineTool({
  key: 'http_request',
  name: 'HTTP request',
  description:
    'Makes one HTTP request to a public address and answers status, headers and body. Private and internal addresses cannot be reached.',
  category: 'web',
  parameters,
  effect: 'once',
  approval: 'writes',
  timeoutSeconds: 130,
  effectOf: effectOfRequest,
  label: ({ method = 'GET', url }) => `${method} ${addressLabel(url)}`,
  describe: async (args) => ({
    details: describeRequest(buildRequest(parameters.parse(maskSecrets(args)))),
    basis: null,
  }),
  run: async (args, context) => {
    const answer = await sendRequest(buildRequest(args), effectOfRequest(args), context);
    return { value: presentAnswer(answer), isForeign: true };
  },
});
