import type { CallDetail } from '../../../../domain/approvals/index.ts';
import { cut, toStorableText } from '../../../../domain/core/text.ts';
import { maskSecrets } from '../../../../domain/secrets/index.ts';

/** The longest list is of a workflow: its name and agent, and a prompt and an agent for each of its 20 steps. */
const MAX_DETAILS = 50;
const MAX_LABEL = 100;
/** A script of a custom tool is shown whole. */
const MAX_VALUE = 32_000;
/** What all values of a call may have, in characters. */
const MAX_TOTAL = 48_000;

/** Returns details as they are stored: without likely secrets, and of bounded length; what is left out is said. */
export function shownDetails(details: readonly CallDetail[]): readonly CallDetail[] {
  const shown: CallDetail[] = [];
  let room = MAX_TOTAL;
  for (const { label, value } of details.slice(0, MAX_DETAILS)) {
    const text = String(maskSecrets({ value: toStorableText(value) })['value']);
    const kept = cut(text, Math.min(MAX_VALUE, room));
    room -= kept.length;
    const rest = text.length - kept.length;
    shown.push({ label: cut(label, MAX_LABEL), value: rest === 0 ? kept : `${kept}… (${rest} more characters)` });
  }
  const left = details.length - shown.length;
  return left === 0 ? shown : [...shown, { label: 'Left out', value: `${left} more lines` }];
}
