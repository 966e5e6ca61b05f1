import { z } from 'zod';
import { type SecretBox, SecretColumn } from '../../../db/core/secret-box.ts';
import {
  describeSignIn,
  failSignIn,
  findSignIn,
  openSignIn,
  sealSignIn,
  type SignInRequest,
  storeAnswer,
  takeSignIn,
} from '../../../db/integrations/sign-ins.ts';
import { memberMay } from '../../../db/permissions/member-may.ts';
import { actionOf } from '../../../domain/audit.ts';
import { runShort } from '../../../workflows/short/client.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { orgOfState } from './start-sign-in.ts';

/** The fields of the form by which a person agrees. */
export interface ConsentForm {
  readonly state: string;
  readonly consent: string;
}

/** The page for a person who comes back from a service. */
export type CallbackAnswer =
  /** It belongs to no sign-in that is under way. */
  | { readonly outcome: 'unknown' }
  /** They have to say whether they want to give this to those who ask. */
  | { readonly outcome: 'asked'; readonly request: SignInRequest; readonly form: ConsentForm }
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'failed'; readonly reason: string }
  | { readonly outcome: 'done'; readonly request: SignInRequest };

/** The name of a finished sign-in in the audit log: the page that does it is no route. */
export const FINISHED = {
  method: 'post',
  resource: 'integrations',
  action: 'finish_sign_in',
  access: 'integrations.manage',
} as const;

const querySchema = z.object({
  state: z.string().max(200),
  code: z.string().min(1).max(4_096).optional(),
  error: z.string().max(200).optional(),
});
const formSchema = z.object({ state: z.string().max(200), consent: z.string().min(1).max(8_192) });

/**
 * Answers a person whom a service has sent back. The link may have come from anybody, so the page says for whom it is
 * and asks for consent; opening the address alone grants nothing.
 */
export async function answerCallback(query: unknown, context: ApiContext): Promise<CallbackAnswer> {
  const { data } = querySchema.safeParse(query);
  const orgId = data && orgOfState(data.state);
  if (data === undefined || orgId === undefined) return { outcome: 'unknown' };
  const { state, code, error } = data;
  // A service sends one of both: an address without them comes from somebody who has only seen the state.
  if (code === undefined && error === undefined) return { outcome: 'unknown' };
  const request = await describeSignIn(context.database, orgId, state);
  if (request === undefined) return { outcome: 'unknown' };
  if (code === undefined) {
    const signIn = await takeSignIn(context.database, orgId, state);
    if (signIn !== undefined)
      await failSignIn(context.database, { orgId, signInId: signIn.id }, 'It was refused at the service');
    return { outcome: 'refused' };
  }
  return { outcome: 'asked', request, form: { state, consent: sealConsent(context.box, { orgId, state }, code) } };
}

/** Consumes the sign-in to which a person has agreed, and has a worker finish it. */
export async function answerConsent(form: unknown, ip: string, context: ApiContext): Promise<CallbackAnswer> {
  const { data } = formSchema.safeParse(form);
  const orgId = data && orgOfState(data.state);
  if (data === undefined || orgId === undefined) return { outcome: 'unknown' };
  const { state, consent } = data;
  const code = openConsent(context.box, { orgId, state }, consent);
  const request = await describeSignIn(context.database, orgId, state);
  if (code === undefined || request === undefined) return { outcome: 'unknown' };
  return finish(context, { request, state, code, ip });
}

interface Confirmed {
  readonly request: SignInRequest;
  readonly state: string;
  readonly code: string;
  readonly ip: string;
}

async function finish(context: ApiContext, { request, state, code, ip }: Confirmed): Promise<CallbackAnswer> {
  const { database, box, audit } = context;
  const { orgId } = request;
  if (!(await memberMay(database, request, FINISHED.access)))
    return { outcome: 'failed', reason: 'The user who began it may not manage integrations any more.' };
  const signIn = await takeSignIn(database, orgId, state);
  if (signIn === undefined) return { outcome: 'unknown' };
  const ref = { orgId, signInId: signIn.id };
  await storeAnswer(database, ref, sealSignIn(box, { orgId, id: signIn.id }, { ...openSignIn(box, signIn), code }));
  const reason = await exchange(context, request, ref);
  if (reason !== undefined) return { outcome: 'failed', reason };
  await audit.changed({
    actorId: request.userId,
    orgId,
    sessionId: undefined,
    apiKeyId: undefined,
    apiKeyPublicId: undefined,
    action: actionOf(FINISHED),
    recordType: FINISHED.resource,
    recordId: request.integrationId,
    relatedIds: [],
    fields: [],
    outcome: 'success',
    status: 200,
    ip,
  });
  return { outcome: 'done', request };
}

/** Exchanges the code; returns why that failed, in words for the person. */
async function exchange(
  { database, temporal, probes, log }: ApiContext,
  { orgId, userId }: SignInRequest,
  ref: { readonly orgId: string; readonly signInId: string },
): Promise<string | undefined> {
  const release = probes.acquire({ orgId, userId });
  try {
    const { ok } = await runShort(temporal, 'signInWithIntegration', ref);
    if (ok) return undefined;
    return (await findSignIn(database, ref))?.error ?? 'The integration was changed in the meantime';
  } catch (error) {
    log.warn({ err: error }, 'a sign-in with an integration could not be finished');
    const reason = 'It could not be finished now; begin again shortly';
    await failSignIn(database, ref, reason);
    return reason;
  } finally {
    release();
  }
}

const column = new SecretColumn('integration_sign_ins', 'consent');

/** The sign-in that a person agrees to. */
interface AskedSignIn {
  readonly orgId: string;
  readonly state: string;
}

/**
 * Returns the code, encrypted for this sign-in, for the consent form. Only somebody who was shown the page can submit
 * it.
 */
function sealConsent(box: SecretBox, { orgId, state }: AskedSignIn, code: string): string {
  return column.seal(box, { orgId, id: state }, code).toString('base64url');
}

/** Returns the code of a submitted consent form; undefined when it is not from our page for this sign-in. */
function openConsent(box: SecretBox, { orgId, state }: AskedSignIn, consent: string): string | undefined {
  try {
    return column.open(box, { orgId, id: state }, Buffer.from(consent, 'base64url'));
  } catch {
    return undefined;
  }
}
