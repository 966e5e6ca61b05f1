import { type ReactNode, useEffect, useState } from 'react';
import { estimateTokens } from '../../../domain/transcripts/index.ts';
import type { ChatConnection } from '../connection/index.ts';
import { useChatsText } from '../text.ts';

const EVERY_MS = 1_000;
/** The seconds over which the rate is taken. */
const SECONDS = 4;

/** Says that an answer is being written, and how fast: tokens are estimated from what has come in the last seconds. */
export function WritingRate({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText().phase;
  const [rate, setRate] = useState<number>();
  useEffect(() => {
    let lengths: readonly number[] = [];
    const look = () => {
      const shown = connection.view.live.at(-1)?.text ?? '';
      const [first = shown.length] = lengths;
      lengths = [...lengths, shown.length].slice(-SECONDS);
      if (lengths.length > 1) setRate(Math.round(estimateTokens(shown.slice(first)) / (lengths.length - 1)));
    };
    look();
    const timer = setInterval(look, EVERY_MS);
    return () => clearInterval(timer);
  }, [connection]);
  return rate === undefined || rate === 0 ? text.writing : text.rate(rate);
}
