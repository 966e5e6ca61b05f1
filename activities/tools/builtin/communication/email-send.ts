import { z } from 'zod';
import { parseMailAddress } from '../../../../domain/network/mail-address.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { describeService, readSentFile } from '../services/describe-service.ts';
import { integrationParameter } from '../parameters.ts';

const MAX_RECIPIENTS = 50;
const MAX_ATTACHED_BYTES = 20_000_000;

const address = z
  .string()
  .max(600)
  .refine(
    (text) => parseMailAddress(text) !== undefined,
    'must be one address such as a@example.com or Ada <a@example.com>',
  );
const oneLine = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'must be one line');

const parameters = z.strictObject({
  to: z.array(address).min(1).max(MAX_RECIPIENTS).describe('Addresses such as `Ada <a@example.com>`.'),
  subject: oneLine(500).describe('One line.'),
  text: z.string().max(500_000).optional().describe('Plain text.'),
  html: z.string().max(500_000).optional().describe('Beside the text, where the layout matters.'),
  cc: z.array(address).max(MAX_RECIPIENTS).optional().describe('Further receivers.'),
  bcc: z.array(address).max(MAX_RECIPIENTS).optional().describe('Receivers that no other one sees.'),
  reply_to: address.optional().describe('Where answers go, where that is not the sender.'),
  in_reply_to: z
    .string()
    .max(500)
    .regex(/^<[^<>\s]+>$/, 'must be an id such as <abc@example.com>')
    .optional()
    .describe('The `message_id` of the mail that it answers.'),
  attachments: z.array(z.string().min(1).max(1024)).max(20).optional().describe('Paths of workspace files.'),
  integration: integrationParameter,
});

type Arguments = z.output<typeof parameters>;

/**
 * Sends a mail. Its `Message-ID` is the same when the call is made again, so that receivers can tell; it is sent once
 * all the same, because not all of them look.
 */
export const emailSend = defineTool({
  key: 'email_send',
  name: 'Send e-mail',
  description: 'Sends an e-mail from the address of the organization. Needs a text or HTML.',
  category: 'communication',
  parameters,
  effect: 'once',
  approval: 'always',
  timeoutSeconds: 120,
  needsIntegration: ['smtp'],
  label: ({ to }) => `Sending an e-mail to ${to[0]}${to.length > 1 ? ` and ${to.length - 1} more` : ''}`,
  describe,
  run: async (args, context, approvedBasis) => {
    const { to, cc = [], bcc = [], text, html, attachments = [] } = args;
    if (text === undefined && html === undefined) throw new ToolFailure('invalid_input', 'It needs text or html');
    if (to.length + cc.length + bcc.length > MAX_RECIPIENTS)
      throw new ToolFailure('invalid_input', `A mail has ${MAX_RECIPIENTS} receivers at most`);
    const service = await context.openService(['smtp'], args.integration);
    const send = async () =>
      context.connections.sendMail(service, {
        to,
        cc,
        bcc,
        text,
        html,
        subject: args.subject,
        replyTo: args.reply_to,
        inReplyTo: args.in_reply_to,
        attachments: await readAttachments(args, context, approvedBasis),
        key: context.idempotencyKey,
      });
    const { messageId, accepted, rejected } = await (attachments.length > 0 ? context.runLargeWork(send) : send());
    return { value: { message_id: messageId, accepted, ...(rejected.length > 0 && { rejected }) }, isForeign: true };
  },
});

async function describe({ integration, attachments: paths = [] }: Arguments, context: ToolContext) {
  return describeService(['smtp'], integration, context, { paths, maxBytes: MAX_ATTACHED_BYTES });
}

async function readAttachments(args: Arguments, context: ToolContext, approvedBasis: unknown) {
  const approved = { approvedBasis, describe: async () => describe(args, context) };
  const attachments: { readonly name: string; readonly content: Buffer }[] = [];
  let left = MAX_ATTACHED_BYTES;
  for (const path of args.attachments ?? []) {
    const content = await readSentFile({ path, maxBytes: left }, context, approved);
    left -= content.length;
    attachments.push({ name: path.slice(path.lastIndexOf('/') + 1), content });
  }
  return attachments;
}
