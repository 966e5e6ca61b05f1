import { z } from 'zod';
import { DECISION_TOKEN } from '../../domain/decision-tokens.ts';
import type { SecretBox } from '../core/secret-box.ts';

/** The content of a token: one person decides about one approval, until a time. */
export interface DecisionLink {
  readonly orgId: string;
  readonly userId: string;
  readonly approvalId: string;
  readonly expiresAt: Date;
}

/** Where a token is used: in a link of a mail, or in the buttons of a message. One does not work as the other. */
const PURPOSES = { mail: 'decision-link', message: 'decision-button' } as const;

type LinkUse = keyof typeof PURPOSES;

const linkSchema = z.object({
  orgId: z.uuid(),
  userId: z.uuid(),
  approvalId: z.uuid(),
  expiresAt: z.iso.datetime().transform((time) => new Date(time)),
});

/** Makes a token. */
export function sealDecisionLink(box: SecretBox, link: DecisionLink, use: LinkUse): string {
  return DECISION_TOKEN + box.sealToken(link, PURPOSES[use]);
}

/** Decodes a token, expired or not; undefined for one that the server has not made for that use. */
export function openDecisionLink(box: SecretBox, token: string, use: LinkUse): DecisionLink | undefined {
  if (!token.startsWith(DECISION_TOKEN)) return undefined;
  return linkSchema.optional().parse(box.openToken(token.slice(DECISION_TOKEN.length), PURPOSES[use]));
}
