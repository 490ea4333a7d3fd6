/** The symbols of formulas, as pairs of a name and what is set for it. */

function pairs(text: string): Readonly<Record<string, string>> {
  const words = text.split(' ');
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < words.length; at += 2) found.push([words[at] ?? '', words[at + 1] ?? '']);
  return Object.fromEntries(found);
}

/** Letters and signs that stand for themselves. */
export const greek = pairs(
  'alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ ell ℓ hbar ℏ Re ℜ Im ℑ aleph ℵ emptyset ∅ varnothing ∅ forall ∀ exists ∃ neg ¬ lnot ¬ top ⊤ bot ⊥ angle ∠ prime ′ dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ degree °',
);

/** Operators, relations, arrows and fences. */
export const operators = pairs(
  'times × div ÷ pm ± mp ∓ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ otimes ⊗ to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ iff ⟺ mapsto ↦ uparrow ↑ downarrow ↓ mid ∣ parallel ∥ perp ⊥ vdash ⊢ models ⊨ colon : langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | Vert ‖ lVert ‖ rVert ‖ backslash \\ lbrace { rbrace } { { } } | ‖ % % $ $ # # & & _ _',
);

/** Operators that grow and carry limits. */
export const large = pairs(
  'sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀',
);

/** Spaces, by their width. */
export const spaces = {
  ...pairs(', 0.17em : 0.22em ; 0.28em ! -0.17em quad 1em qquad 2em'),
  ' ': '0.28em',
} satisfies Readonly<Record<string, string>>;

/** Marks above what follows. */
export const accents = pairs(
  'hat ^ widehat ^ tilde ~ widetilde ~ bar ¯ overline ¯ vec → dot ˙ ddot ¨ check ˇ overrightarrow →',
);

/** Styles of letters. */
export const styles = pairs(
  'mathbf bold boldsymbol bold bm bold mathrm normal operatorname normal mathit italic mathbb double-struck mathcal script mathscr script mathfrak fraktur mathsf sans-serif mathtt monospace',
);

/** Letters with a double stroke. */
export const doubled = pairs('C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ E 𝔼 F 𝔽 1 𝟙');
