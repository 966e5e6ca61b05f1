import { createContext, useCallback, useContext, useEffect, useState } from 'react';

type Block = (name: string, reason: string | undefined) => void;

/** Takes the reasons of fields why the form around cannot be saved now. */
export const SaveBlocks = createContext<Block>(() => undefined);

/** Keeps the form around from being saved while there is a reason, such as a text that says no value. */
export function useSaveBlock(name: string, reason: string | undefined): void {
  const block = useContext(SaveBlocks);
  useEffect(() => {
    block(name, reason);
    return () => block(name, undefined);
  }, [block, name, reason]);
}

/** Returns the first reason of the fields within why they cannot be saved, and what takes such reasons. */
export function useSaveBlocks(): readonly [string | undefined, Block] {
  const [reasons, setReasons] = useState<ReadonlyMap<string, string>>(new Map());
  const block = useCallback<Block>((name, reason) => {
    setReasons((last) => {
      if (last.get(name) === reason) return last;
      const rest = [...last].filter(([key]) => key !== name);
      return new Map(reason === undefined ? rest : [...rest, [name, reason]]);
    });
  }, []);
  return [reasons.values().next().value, block];
}
