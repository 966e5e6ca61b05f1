import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import type { Message } from '../connection/merge-messages.ts';
import { useChatsText } from '../text.ts';

interface RawMessageProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Shows a message as the api tells it. */
export function RawMessage({ message, onClose }: RawMessageProps): ReactNode {
  return (
    <Dialog open onClose={onClose} title={useChatsText().raw}>
      <CodeBlock code={JSON.stringify(message, null, 2)} language="json" />
    </Dialog>
  );
}
