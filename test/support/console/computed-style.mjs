/** The initial values of the inherited properties that queries and simulated users read. */
const INHERITED = { visibility: 'visible', pointerEvents: 'auto' };

/**
 * Makes a window compute only the properties of a style that are read. jsdom computes all of them, for every element
 * that a query by role looks at, which took as long as rendering the pages.
 */
export function computeStylesLazily(window) {
  const { document } = window;
  const computeAll = window.getComputedStyle;
  const displays = new Map();

  function display(element) {
    if (element.hasAttribute('style')) return computeAll.call(window, element).display;
    // All that the browser's own style sheet looks at.
    const isHidden = element.hasAttribute('hidden') || element.getAttribute('type') === 'hidden';
    const key = `${element.localName} ${isHidden} ${element.hasAttribute('open')}`;
    if (!displays.has(key)) displays.set(key, computeAll.call(window, element).display);
    return displays.get(key);
  }

  function inherited(element, property) {
    for (let at = element; at !== null; at = at.parentElement) {
      const value = at.hasAttribute('style') && at.style[property];
      if (value) return value;
    }
    return INHERITED[property];
  }

  window.getComputedStyle = function getComputedStyle(element, pseudo) {
    if (pseudo || document.styleSheets.length > 0) return computeAll.call(window, element, pseudo);
    const read = (property) => {
      if (property in INHERITED) return inherited(element, property);
      return property === 'display' ? display(element) : computeAll.call(window, element)[property];
    };
    return new Proxy(
      { getPropertyValue: (property) => read(property === 'pointer-events' ? 'pointerEvents' : property) },
      { get: (target, property) => target[property] ?? read(property) },
    );
  };
}
