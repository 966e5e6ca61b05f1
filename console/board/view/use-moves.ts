import { useState } from 'react';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useBoardText } from '../text.ts';
import type { BoardCard } from './columns.ts';

interface Moves<C extends BoardCard> {
  /** Returns cards as they are shown, each once: those that are being moved where they are going. */
  readonly withMoves: (cards: readonly C[]) => readonly C[];
  /** Shows a card as it is going to be, and tells the server; what is refused goes back, with the reason. */
  readonly move: (card: C, changes: Partial<C>, send: () => Promise<unknown>) => void;
}

/** Returns what moves cards before the server has agreed. */
export function useMoves<C extends BoardCard>(): Moves<C> {
  const [text, toast] = [useBoardText(), useToast()];
  const [moving, setMoving] = useState<ReadonlyMap<string, C>>(new Map());
  const move = async (card: C, changes: Partial<C>, send: () => Promise<unknown>) => {
    const moved = { ...card, ...changes };
    setMoving((before) => new Map(before).set(card.id, moved));
    try {
      await send();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      toast(text.refused(showInvisible(card.title), error.message), 'failed');
    } finally {
      // A later move of the same card goes on.
      setMoving((before) => {
        if (before.get(card.id) !== moved) return before;
        const after = new Map(before);
        after.delete(card.id);
        return after;
      });
    }
  };
  return {
    // Columns are read one by one: meanwhile a card that was moved is in two of them, or in none.
    withMoves: (cards) => [...new Map([...cards.map((card) => [card.id, card] as const), ...moving]).values()],
    move: (card, changes, send) => void move(card, changes, send),
  };
}
