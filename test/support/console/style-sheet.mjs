/** Stands for any style sheet: each class is called as it is written there. */
export default new Proxy({}, { get: (_classes, name) => (name === '__esModule' ? false : name) });
