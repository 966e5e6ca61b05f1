import { z } from 'zod';
import { runReportsOf, setRunReports } from '../../db/destinations/run-reports.ts';
import type { Database } from '../../db/core/database.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { getOwnChat, lockOwnChat } from '../../db/chats/chat.ts';
import { listReports, type Reported, resendReport } from '../../db/webhooks/run-deliveries.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { asOwner } from '../chats/own-chat.ts';
import { defineRoute } from '../http/define-route.ts';
import { EXAMPLE_ID } from '../http/fields.ts';
import { RESEND, runDeliverySchema } from './run-deliveries.ts';
import { checkTurnReports, runReportsField, shownRunReportsField } from './run-reports.ts';

export const turnDeliveriesSchema = z
  .strictObject({ deliveries: runReportsField })
  .meta({ id: 'TurnDeliveriesUpdate', examples: [{ deliveries: [{ destination_id: EXAMPLE_ID }] }] });

export const shownTurnDeliveriesSchema = z
  .object({
    deliveries: shownRunReportsField,
    reports: runDeliverySchema.array().meta({ description: 'The newest 100 reports, oldest first' }),
  })
  .meta({ id: 'TurnDeliveries' });

/** Returns where a chat or a task is reported, and what was. */
export async function presentTurnDeliveries(
  database: Database,
  orgId: string,
  of: Reported & { readonly kind: 'chat' | 'task' },
): Promise<z.input<typeof shownTurnDeliveriesSchema>> {
  const [deliveries, reports] = await Promise.all([
    runReportsOf(database, orgId, of.kind, [of.id]),
    listReports(database, orgId, of),
  ]);
  return present(shownTurnDeliveriesSchema, { deliveries: deliveries.get(of.id) ?? [], reports });
}

const ofChat = { resource: 'chats', tag: 'Chats', access: 'integrations.view' } as const;
const PATH = '/api/chats/{chat_id}/deliveries';

export const chatDeliveryRoutes = [
  defineRoute({
    ...ofChat,
    method: 'get',
    path: PATH,
    action: 'deliveries',
    operationId: 'getChatDeliveries',
    summary: 'Get where the turns of your chat are reported, and the reports sent so far',
    response: { status: 200, schema: shownTurnDeliveriesSchema },
    handler: async ({ caller, params: { chat_id: id } }, context) => {
      const { database } = context;
      await asOwner(context, caller, id, async () => getOwnChat(database, caller, id));
      return presentTurnDeliveries(database, caller.orgId, { kind: 'chat', id });
    },
  }),
  defineRoute({
    ...ofChat,
    method: 'put',
    path: PATH,
    action: 'deliveries',
    operationId: 'setChatDeliveries',
    summary: 'Set where the end of each turn of your chat is reported',
    description: '409 for the chat of a sub-agent.',
    body: turnDeliveriesSchema,
    errors: [409],
    response: { status: 200, schema: shownTurnDeliveriesSchema },
    handler: async ({ caller, params: { chat_id: id }, body }, context) => {
      const { database } = context;
      const { orgId, userId } = caller;
      const { deliveries } = toFields(turnDeliveriesSchema, body);
      await asOwner(context, caller, id, async () =>
        withOrgTransaction(database, orgId, async (em) => {
          await lockOwnChat(em, userId, id);
          checkTurnReports(caller, deliveries);
          await setRunReports(em, { orgId, userId, kind: 'chat', id }, deliveries);
        }),
      );
      return presentTurnDeliveries(database, orgId, { kind: 'chat', id });
    },
  }),
  defineRoute({
    ...ofChat,
    ...RESEND,
    path: `${PATH}/{delivery_id}/resend`,
    operationId: 'resendChatReport',
    summary: 'Resend a report of a turn of your chat to its destination immediately',
    handler: async ({ caller, params: { chat_id: id, delivery_id: deliveryId } }, context) => {
      const { database } = context;
      const { orgId, userId } = caller;
      await asOwner(context, caller, id, async () => getOwnChat(database, caller, id));
      const of = { kind: 'chat', id } as const;
      return present(runDeliverySchema, await resendReport(database, { orgId, userId, of }, deliveryId));
    },
  }),
];
