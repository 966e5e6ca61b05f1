import { z } from 'zod';
import { type SecretBox, UnreadableSecret } from '../core/secret-box.ts';

/** What a link in a mail stands for: one person decides about one approval, until a time. */
export interface DecisionLink {
  readonly orgId: string;
  readonly userId: string;
  readonly approvalId: string;
  readonly expiresAt: Date;
}

const PURPOSE = 'decision-link';

const linkSchema = z.object({
  orgId: z.uuid(),
  userId: z.uuid(),
  approvalId: z.uuid(),
  expiresAt: z.iso.datetime().transform((time) => new Date(time)),
});

/** Makes the token of a link. Nobody without the server's key can make, read or change one. */
export function sealDecisionLink(box: SecretBox, link: DecisionLink): string {
  return box.seal(JSON.stringify(link), PURPOSE).toString('base64url');
}

/** Returns what a token stands for, expired or not; undefined for one that the server has not made. */
export function openDecisionLink(box: SecretBox, token: string): DecisionLink | undefined {
  try {
    return linkSchema.parse(JSON.parse(box.open(Buffer.from(token, 'base64url'), PURPOSE)));
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}
