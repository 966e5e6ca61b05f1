import type { ReactNode } from 'react';
import { CopyButton } from '../code/copy-button.tsx';
import { buttonClass } from '../controls/button.tsx';
import { safeLink } from '../markdown/safe-link.ts';
import { StepRow } from './steps.tsx';

interface OpenAddressProps {
  /** The address of a page elsewhere. It is no link when it is not one of the web. */
  readonly address: string;
  readonly label: string;
  readonly copyLabel: string;
  /** Shown beside them. */
  readonly children?: ReactNode;
}

/** Opens a page elsewhere in a tab of its own, or copies its address for another browser. */
export function OpenAddress({ address, label, copyLabel, children }: OpenAddressProps): ReactNode {
  return (
    <StepRow>
      <a className={buttonClass('primary')} href={safeLink(address)?.href} target="_blank" rel="noopener noreferrer">
        {label}
      </a>
      <CopyButton text={address} label={copyLabel} />
      {children}
    </StepRow>
  );
}
