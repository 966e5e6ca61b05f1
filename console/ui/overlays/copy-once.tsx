import type { ReactNode } from 'react';
import { CopyButton } from '../code/code-block.tsx';
import { Button } from '../controls/button.tsx';
import formClasses from '../controls/controls.module.css';
import classes from './overlays.module.css';
import { Dialog } from './dialog.tsx';
import { useOverlaysText } from '../text.ts';

interface CopyOnceProps {
  /** The secret; the window is open while there is one. Keep it in the state of the page, in no cache. */
  readonly secret: string | undefined;
  readonly title: string;
  /** What it is for, and who can read what with it. */
  readonly description: string;
  /** Further lines that are made with it, such as a command. */
  readonly children?: ReactNode;
  /** Forgets the secret. */
  readonly onStored: () => void;
}

/** Shows a secret that is shown only once. It closes by the button that says that it is stored, and by nothing else. */
export function CopyOnce({ secret, title, description, children, onStored }: CopyOnceProps): ReactNode {
  const text = useOverlaysText();
  return (
    <Dialog open={secret !== undefined} title={title} description={description}>
      <div className={formClasses.form}>
        <div className={`row justify-between ${classes.secret}`}>
          <code>{secret}</code>
          <CopyButton text={secret ?? ''} />
        </div>
        <p className={classes.warning}>{text.shownOnce}</p>
        {children}
        <div className="wrap">
          <Button variant="primary" onClick={onStored}>
            {text.stored}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
