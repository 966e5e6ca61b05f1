import { renderMermaidSVG } from 'beautiful-mermaid';
import { type ReactNode, useEffect, useState } from 'react';
import { useMedia } from '../../core/browser/browser.ts';
import { useTheme } from '../../core/theme.ts';
import { useMarkdownText } from '../text.ts';
import { showInvisible } from '../visible.ts';
import { DiagramSource } from './diagram-source.tsx';
import classes from './markdown.module.css';

/** A longer source is not drawn: the layout of its diagram may take long. */
const MAX_CHARACTERS = 5_000;

/** What a diagram is drawn in, by the names of the page. */
const COLOURS = {
  fg: '--ink',
  bg: '--surface',
  surface: '--sunken',
  line: '--line-strong',
  border: '--line-strong',
  muted: '--ink-soft',
  accent: '--accent',
};

interface Picture {
  readonly src: string;
  readonly width: number;
  readonly height: number;
}

/** Shows a diagram as a picture, with its source below; the source alone when it cannot be drawn. */
export function DrawnDiagram({ code }: { readonly code: string }): ReactNode {
  const text = useMarkdownText();
  const [theme, isDark] = [useTheme(), useMedia('(prefers-color-scheme: dark)')];
  const [picture, setPicture] = useState<Picture>();
  useEffect(() => {
    const timer = setTimeout(() => setPicture(draw(code)), 0);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- with these the colours of the page change
  }, [code, theme, isDark]);
  if (picture === undefined) return <DiagramSource code={code} />;
  return (
    <figure className={classes['diagram']}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
      <section aria-label={text.diagram} tabIndex={0} className={classes['drawn']}>
        <img
          {...picture}
          alt={text.diagram}
          data-dark={theme === 'dark' || (theme === 'system' && isDark) || undefined}
        />
      </section>
      <details>
        <summary>{text.source}</summary>
        <DiagramSource code={code} />
      </details>
    </figure>
  );
}

/** Draws a diagram as a picture of its own, in which no script runs and nothing is loaded; undefined if it is none. */
function draw(code: string): Picture | undefined {
  if (code.length > MAX_CHARACTERS) return undefined;
  try {
    const svg = renderMermaidSVG(showInvisible(code), { ...colours(), transparent: true, font: 'system-ui' });
    const [, width, height] = /^<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
    return { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, width: Number(width), height: Number(height) };
  } catch {
    // Not Mermaid, or a kind of diagram that is not known.
    return undefined;
  }
}

// An element resolves what a custom property keeps as it was written, such as light-dark().
function colours() {
  const probe = document.body.appendChild(document.createElement('span'));
  const entries = Object.entries(COLOURS).map(([part, name]) => {
    probe.style.color = `var(${name})`;
    return [part, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(entries) as Record<keyof typeof COLOURS, string>;
}
