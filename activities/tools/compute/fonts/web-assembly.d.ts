// The used part of WebAssembly, whose types are those of browsers.
declare namespace WebAssembly {
  function instantiate(bytes: Uint8Array): Promise<{ readonly instance: { readonly exports: object } }>;
}
