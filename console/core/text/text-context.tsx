import { createContext, useContext } from 'react';
import { en, type Text } from './en.ts';

const TextContext = createContext<Text>(en);

/** Returns the texts in the language of the page. */
export function useText(): Text {
  return useContext(TextContext);
}
