import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';

/** Why a form cannot be saved now. */
export interface SaveBlock {
  readonly reason: string;
  /** Whether something was typed that would be lost with the form. */
  readonly isTyped: boolean;
}

interface BlockedForm {
  readonly block: (name: string, found: SaveBlock | undefined) => void;
  /** How often the form's changes were discarded. */
  readonly discards: number;
}

/** Takes the reasons of fields why the form around cannot be saved now. */
export const SaveBlocks = createContext<BlockedForm>({ block: () => undefined, discards: 0 });

/** Returns how often the changes of the form around were discarded: a text that said no value goes with them. */
export function useDiscards(): number {
  return useContext(SaveBlocks).discards;
}

/** Keeps the form around from being saved while there is a reason, such as a text that says no value. */
export function useSaveBlock(name: string, reason: string | undefined, isTyped: boolean): void {
  const { block } = useContext(SaveBlocks);
  useEffect(() => {
    block(name, reason === undefined ? undefined : { reason, isTyped });
    return () => block(name, undefined);
  }, [block, name, reason, isTyped]);
}

/** What keeps a form from being saved. */
interface Blocks {
  /** The first reason. */
  readonly reason: string | undefined;
  /** The names of fields in which something was typed that is no value. */
  readonly typed: readonly string[];
  /** What the fields within are given. */
  readonly form: BlockedForm;
  /** Takes the fields within back to their values. */
  discard(): void;
}

/** Returns what keeps a form from being saved. */
export function useSaveBlocks(): Blocks {
  const [found, setFound] = useState<ReadonlyMap<string, SaveBlock>>(new Map());
  const [discards, setDiscards] = useState(0);
  const block = useCallback<BlockedForm['block']>((name, next) => {
    setFound((last) => {
      if (!last.has(name) && next === undefined) return last;
      const rest = [...last].filter(([key]) => key !== name);
      return new Map(next === undefined ? rest : [...rest, [name, next]]);
    });
  }, []);
  const typed = useMemo(() => [...found].filter(([, { isTyped }]) => isTyped).map(([name]) => name), [found]);
  const form = useMemo(() => ({ block, discards }), [block, discards]);
  const discard = () => setDiscards((last) => last + 1);
  return { reason: found.values().next().value?.reason, typed, form, discard };
}
