// A rule of oxlint for names: a concept has one word, the field's own (docs/glossary.md), and these are none.

/** By a word that no name has: what names say instead. */
const INSTEAD = {
  __proto__: null,
  ...forms(
    ['look', 'looks', 'looked', 'looking'],
    'poll, check or read for an act; variant or style for an appearance',
  ),
  ...forms(['place', 'places', 'placed', 'placing'], 'slot, index, position, location, ref or target'),
  ...forms(['piece', 'pieces'], 'chunk, part or range'),
  ...forms(['door', 'doors'], 'route or entry point'),
  ...forms(['carry', 'carries', 'carried', 'carrying'], 'copy, propagate or send'),
  ...forms(['engage', 'engages', 'engaged', 'engaging'], 'start or follow'),
  ...forms(['tell', 'tells', 'telling', 'told'], 'notify, report, send or log'),
  ...forms(['hold', 'holds', 'held', 'holding'], 'lock, lease, acquire, buffer, block or contain'),
  ...forms(['trial', 'trials'], 'test run'),
  ...forms(['facility', 'facilities'], 'the service or feature by its name'),
  ...forms(['audience', 'audiences'], 'recipients or viewers'),
};

/** Names that have such a word, by the reason. */
const KEPT = {
  'the names of the API, and of the fields that are made of them': [
    'secret_places',
    'secretPlaces',
    'SecretPlace',
    'SECRET_PLACES',
  ],
  'looking up has no other word': [
    'lookUp',
    'lookUps',
    'LOOK_UPS_ONLY',
    'lookedUp',
    'lookUpOf',
    'slowLookUp',
    'isLookUp',
  ],
  'a lock is held, and so is a key': ['held', 'isLockHeld', 'holdsKey', 'holdsKeyOf', 'holdsKeyFor'],
  'a claim of a JSON web token': ['audience'],
  'an activity and an input of workflows, in their histories': ['createTellHost', 'tellHost', 'trialId'],
};
const PERMITTED = new Set(Object.values(KEPT).flat());

/** Refuses the words in names where these are declared. */
export const vocabulary = {
  create(context) {
    const check = (node) => {
      if (PERMITTED.has(node.name)) return;
      for (const word of wordsOf(node.name)) {
        const instead = INSTEAD[word];
        if (instead !== undefined) context.report({ node, message: `A name does not say "${word}": ${instead}.` });
      }
    };
    const checkBound = (pattern) => {
      for (const name of namesIn(pattern)) check(name);
    };
    const checkFunction = ({ id, params }) => {
      for (const pattern of [id, ...params]) checkBound(pattern);
    };
    const checkKey = ({ computed, key }) => {
      if (!computed && key.type !== 'Literal') check(key);
    };
    const checkId = ({ id }) => checkBound(id);
    return {
      VariableDeclarator: checkId,
      CatchClause: ({ param }) => checkBound(param),
      FunctionDeclaration: checkFunction,
      FunctionExpression: checkFunction,
      ArrowFunctionExpression: checkFunction,
      TSFunctionType: checkFunction,
      ClassDeclaration: checkId,
      TSTypeAliasDeclaration: checkId,
      TSInterfaceDeclaration: checkId,
      PropertyDefinition: checkKey,
      MethodDefinition: checkKey,
      TSPropertySignature: checkKey,
      TSMethodSignature(node) {
        checkKey(node);
        checkFunction(node);
      },
      ImportSpecifier({ imported, local }) {
        // The name of an export is checked where it is declared, unless that is the code of others.
        if (imported.name !== local.name) check(local);
      },
    };
  },
};

function forms(words, instead) {
  return Object.fromEntries(words.map((word) => [word, instead]));
}

/** The words of a name, in lower case: `hasHTMLPart` and `HAS_HTML_PART` have the same ones. */
function wordsOf(name) {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

/** The names that a pattern binds. */
function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => namesIn(property.value ?? property.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'TSParameterProperty':
      return namesIn(pattern.parameter);
    default:
      return [];
  }
}
