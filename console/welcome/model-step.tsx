import { KeyRound, Sparkles } from 'lucide-react';
import { useState } from 'react';
import { useCan } from '../core/permissions.ts';
import { useText } from '../core/text/text-context.tsx';
import { AddAccount } from '../providers/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { Cards } from './cards.tsx';
import { useWelcomeText } from './text.ts';

/** Chooses between the demo model, which every organization has, and an account of one's own. */
export function ModelStep({ onDone }: { readonly onDone: () => void }) {
  const [text, common] = [useWelcomeText(), useText().common];
  const [hasKey, setHasKey] = useState(false);
  const mayAdd = useCan('providers.manage');
  if (hasKey)
    return <AddAccount actions={<Button onClick={() => setHasKey(false)}>{common.cancel}</Button>} onDone={onDone} />;
  const demo = {
    title: text.demo,
    words: text.demoWhy,
    icon: <Sparkles aria-hidden />,
    run: onDone,
  };
  const own = {
    title: text.key,
    words: text.keyWhy,
    icon: <KeyRound aria-hidden />,
    run: () => setHasKey(true),
  };
  return <Cards cards={mayAdd ? [demo, own] : [demo]} />;
}
