import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { useToast } from './toast.tsx';

interface ActionButtonProps extends Omit<ComponentProps<typeof Button>, 'busy' | 'onClick'> {
  /** Does what the button says. A message tells why it has failed. */
  readonly action: () => Promise<unknown>;
}

/** A button that is busy until what it began has ended. */
export function ActionButton({ action, ...button }: ActionButtonProps): ReactNode {
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  const run = () => {
    setIsBusy(true);
    action()
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'))
      .finally(() => setIsBusy(false));
  };
  return <Button {...button} busy={isBusy} onClick={run} />;
}
