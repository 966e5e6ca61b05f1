// The used parts of libraries without types, or whose types are those of browsers.

declare module 'fontkit' {
  /** A font that was read. */
  export interface Font {
    hasGlyphForCodePoint(point: number): boolean;
  }

  /** Reads a font. */
  export function create(bytes: Uint8Array): Font;
}

declare module 'pdfmake' {
  type Margin = readonly [left: number, top: number, right: number, bottom: number];

  /** The style that any part of a document may set. */
  interface Style {
    readonly font?: string;
    readonly fontSize?: number;
    readonly lineHeight?: number;
    readonly color?: string;
    readonly bold?: boolean;
    readonly italics?: boolean;
    readonly decoration?: 'underline' | 'lineThrough';
    readonly alignment?: 'left' | 'center' | 'right';
    readonly margin?: Margin;
    readonly link?: string;
    readonly wordBreak?: 'break-all';
    readonly preserveLeadingSpaces?: boolean;
    readonly headlineLevel?: number;
    readonly outline?: boolean;
    readonly pageBreak?: 'after';
  }

  export interface Text extends Style {
    readonly text: string | readonly Text[];
  }

  interface TableLayout {
    readonly hLineWidth?: (line: number) => number;
    readonly vLineWidth?: (line: number) => number;
    readonly hLineColor?: () => string;
    readonly vLineColor?: () => string;
    readonly fillColor?: (row: number) => string | null;
    readonly paddingLeft?: () => number;
    readonly paddingRight?: () => number;
    readonly paddingTop?: () => number;
    readonly paddingBottom?: () => number;
  }

  interface TableContent extends Style {
    readonly table: {
      readonly widths: readonly string[];
      readonly headerRows?: number;
      readonly keepWithHeaderRows?: number;
      readonly dontBreakRows?: boolean;
      readonly body: readonly (readonly Content[])[];
    };
    readonly layout: TableLayout;
  }

  /** A part of a document. */
  export type Content =
    | Text
    | TableContent
    | (Style & { readonly stack: readonly Content[] })
    | (Style & { readonly ul: readonly Content[] })
    | (Style & { readonly ol: readonly Content[]; readonly start: number });

  interface DocumentDefinition {
    readonly pageSize: string;
    readonly pageOrientation: 'portrait' | 'landscape';
    readonly pageMargins: Margin;
    readonly info: Readonly<Record<string, string>>;
    readonly defaultStyle: Style;
    readonly content: readonly Content[];
    readonly footer: (page: number, count: number) => Content;
    readonly pageBreakBefore: (
      node: { readonly headlineLevel?: number },
      more: { getFollowingNodesOnPage(): readonly unknown[] },
    ) => boolean;
  }

  interface PdfMake {
    readonly virtualfs: { writeFileSync(name: string, content: Uint8Array): void };
    setFonts(fonts: Readonly<Record<string, Readonly<Record<string, string>>>>): void;
    setUrlAccessPolicy(policy: (url: string) => boolean): void;
    setLocalAccessPolicy(policy: (path: string) => boolean): void;
    createPdf(document: DocumentDefinition): { getBuffer(): Promise<Uint8Array> };
  }

  const pdfmake: PdfMake;
  export default pdfmake;
}
