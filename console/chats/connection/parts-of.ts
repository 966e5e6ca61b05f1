import type { Step } from './step-tree.ts';

/** Steps that were taken in a row, and the text that was said before them. */
interface ToldPart {
  readonly text: string;
  readonly steps: readonly Step[];
}

/** Returns the steps of an answer with the text before them, in the order in which both were told, and what follows. */
export function partsOf(text: string, steps: readonly Step[]): { parts: readonly ToldPart[]; rest: string } {
  const parts: { text: string; steps: Step[] }[] = [];
  let told = 0;
  for (const step of steps) {
    const last = parts.at(-1);
    const said = text.slice(told, step.offset);
    if (last !== undefined && said.trim() === '') last.steps.push(step);
    else parts.push({ text: said, steps: [step] });
    told = Math.max(told, Math.min(step.offset, text.length));
  }
  return { parts, rest: text.slice(told) };
}
