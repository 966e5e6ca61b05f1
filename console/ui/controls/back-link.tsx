import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentProps } from 'react';

/** Leads from a page to the list or page above it, which its words name. */
export const BackLink = createLink(function BackAnchor({ children, ...rest }: ComponentProps<'a'>) {
  return (
    <a {...rest}>
      <ChevronLeft aria-hidden />
      {children}
    </a>
  );
});
