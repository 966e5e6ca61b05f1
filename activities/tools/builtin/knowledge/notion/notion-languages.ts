/** The languages of code blocks that Notion knows. */
const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'abap,abc,agda,arduino,ascii art,assembly,bash,basic,bnf,c,c#,c++,clojure,coffeescript,coq,css,dart,dhall,diff,docker,' +
    'ebnf,elixir,elm,erlang,f#,flow,fortran,gherkin,glsl,go,graphql,groovy,haskell,hcl,html,idris,java,javascript,json,julia,' +
    'kotlin,latex,less,lisp,livescript,llvm ir,lua,makefile,markdown,markup,matlab,mathematica,mermaid,nix,objective-c,ocaml,' +
    'pascal,perl,php,plain text,powershell,prolog,protobuf,purescript,python,r,racket,reason,ruby,rust,sass,scala,scheme,scss,' +
    'shell,smalltalk,solidity,sql,swift,toml,typescript,vb.net,verilog,vhdl,visual basic,webassembly,xml,yaml'
  ).split(','),
);
/** Names that fences of Markdown have instead. */
const ALIASES: Readonly<Record<string, string>> = {
  js: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  jsx: 'javascript',
  py: 'python',
  sh: 'shell',
  yml: 'yaml',
  rb: 'ruby',
  rs: 'rust',
  md: 'markdown',
  dockerfile: 'docker',
  cpp: 'c++',
  csharp: 'c#',
};

/** Returns the name that Notion has for a language; one that it does not know is plain text. */
export function notionLanguage(name: string): string {
  const language = ALIASES[name] ?? name;
  return LANGUAGES.has(language) ? language : 'plain text';
}
