/** The named characters of HTML that replies use outside of code, such as `&mdash;`. */

// Names and characters. The other two thousand names of HTML are shown as written.
const shown = [
  'amp &, lt <, gt >, quot ", apos \', hellip …, mdash —, ndash –, lsquo ‘, rsquo ’, sbquo ‚, ldquo “, rdquo ”',
  'bdquo „, laquo «, raquo », lsaquo ‹, rsaquo ›, bull •, middot ·, dagger †, Dagger ‡, permil ‰, prime ′',
  'Prime ″, sect §, para ¶, copy ©, reg ®, trade ™, deg °, micro µ, ordf ª, ordm º, iexcl ¡, iquest ¿',
  'brvbar ¦, cent ¢, pound £, yen ¥, euro €, check ✓, cross ✗, star ☆, starf ★, spades ♠, clubs ♣, hearts ♥',
  'diams ♦, loz ◊',
  'sup1 ¹, sup2 ², sup3 ³, frac12 ½, frac14 ¼, frac34 ¾, plusmn ±, times ×, divide ÷, minus −, lowast ∗',
  'radic √, infin ∞, asymp ≈, cong ≅, equiv ≡, ne ≠, le ≤, ge ≥, sim ∼, prop ∝, isin ∈, notin ∉, ni ∋, sub ⊂',
  'sup ⊃, nsub ⊄, sube ⊆, supe ⊇, cup ∪, cap ∩, and ∧, or ∨, not ¬, forall ∀, exist ∃, empty ∅, nabla ∇',
  'part ∂, sum ∑, prod ∏, int ∫, there4 ∴, perp ⊥, ang ∠, oplus ⊕, otimes ⊗, sdot ⋅, lceil ⌈, rceil ⌉',
  'lfloor ⌊, rfloor ⌋, lang ⟨, rang ⟩',
  'larr ←, uarr ↑, rarr →, darr ↓, harr ↔, crarr ↵, lArr ⇐, uArr ⇑, rArr ⇒, dArr ⇓, hArr ⇔',
  'Alpha Α, Beta Β, Gamma Γ, Delta Δ, Epsilon Ε, Zeta Ζ, Eta Η, Theta Θ, Iota Ι, Kappa Κ, Lambda Λ, Mu Μ',
  'Nu Ν, Xi Ξ, Omicron Ο, Pi Π, Rho Ρ, Sigma Σ, Tau Τ, Upsilon Υ, Phi Φ, Chi Χ, Psi Ψ, Omega Ω, alpha α',
  'beta β, gamma γ, delta δ, epsilon ε, zeta ζ, eta η, theta θ, iota ι, kappa κ, lambda λ, mu μ, nu ν, xi ξ',
  'omicron ο, pi π, rho ρ, sigmaf ς, sigma σ, tau τ, upsilon υ, phi φ, chi χ, psi ψ, omega ω',
  'Agrave À, Aacute Á, Acirc Â, Atilde Ã, Auml Ä, Aring Å, AElig Æ, Ccedil Ç, Egrave È, Eacute É, Ecirc Ê',
  'Euml Ë, Igrave Ì, Iacute Í, Icirc Î, Iuml Ï, ETH Ð, Ntilde Ñ, Ograve Ò, Oacute Ó, Ocirc Ô, Otilde Õ',
  'Ouml Ö, Oslash Ø, Ugrave Ù, Uacute Ú, Ucirc Û, Uuml Ü, Yacute Ý, THORN Þ, szlig ß, agrave à, aacute á',
  'acirc â, atilde ã, auml ä, aring å, aelig æ, ccedil ç, egrave è, eacute é, ecirc ê, euml ë, igrave ì',
  'iacute í, icirc î, iuml ï, eth ð, ntilde ñ, ograve ò, oacute ó, ocirc ô, otilde õ, ouml ö, oslash ø',
  'ugrave ù, uacute ú, ucirc û, uuml ü, yacute ý, thorn þ, yuml ÿ, OElig Œ, oelig œ, Scaron Š, scaron š',
  'Yuml Ÿ',
];

const spaces = {
  nbsp: '\u00a0',
  ensp: '\u2002',
  emsp: '\u2003',
  thinsp: '\u2009',
  shy: '\u00ad',
  zwnj: '\u200c',
  zwj: '\u200d',
};

const characters: ReadonlyMap<string, string> = new Map([
  ...Object.entries(spaces),
  ...shown
    .flatMap((line) => line.split(', '))
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf(' ')), pair.slice(pair.indexOf(' ') + 1)]),
]);

/** Replaces named and numbered characters of HTML; an unknown name stays as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]\w{1,9}));/gi,
    (whole, ten: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return characters.get(name) ?? whole;
      const code = ten === undefined ? Number.parseInt(hex ?? '', 16) : Number(ten);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
