;; Separable filters on 8-bit crops with 128-bit SIMD: `node tools/wasm/build.ts` assembles this into src/regions/filter-wasm.ts.
;; All lines of 16-bit samples start at multiples of 16 bytes and are padded to whole vectors; what stands in the padding
;; does not matter. Lengths that end in Bytes or Pitch are bytes, others are samples.
(module
  (memory (export "memory") 1)

  ;; 8-bit samples, lines of $line without gaps, to 16-bit lines $pitch bytes apart. Reads up to 7 bytes past the end.
  (func (export "widen") (param $from i32) (param $line i32) (param $lines i32) (param $to i32) (param $pitch i32)
    (local $x i32)
    (block $none (br_if $none (i32.eqz (local.get $lines)))
      (loop $each
        (local.set $x (i32.const 0))
        (loop $eight
          (v128.store
            (i32.add (local.get $to) (i32.shl (local.get $x) (i32.const 1)))
            (v128.load8x8_u (i32.add (local.get $from) (local.get $x))))
          (local.set $x (i32.add (local.get $x) (i32.const 8)))
          (br_if $eight (i32.lt_u (local.get $x) (local.get $line))))
        (local.set $from (i32.add (local.get $from) (local.get $line)))
        (local.set $to (i32.add (local.get $to) (local.get $pitch)))
        (local.set $lines (i32.sub (local.get $lines) (i32.const 1)))
        (br_if $each (local.get $lines)))))

  ;; Output line i is the sum of $pairs pairs of input lines from $starts[i] on, times its weights (two 16-bit ones per
  ;; pair), rounded and shifted right by $shift; as 16-bit samples, or as 8-bit ones clamped to 0…255 ($bytes).
  (func (export "combine")
    (param $from i32) (param $pitch i32) (param $starts i32) (param $weights i32) (param $pairs i32)
    (param $lines i32) (param $samples i32) (param $to i32) (param $toPitch i32) (param $shift i32) (param $bytes i32)
    (local $x i32) (local $k i32) (local $at i32) (local $w i32) (local $base i32) (local $half v128)
    (local $low v128) (local $high v128) (local $a v128) (local $b v128) (local $pair v128)
    (local.set $half (i32x4.splat (i32.shl (i32.const 1) (i32.sub (local.get $shift) (i32.const 1)))))
    (block $none (br_if $none (i32.eqz (local.get $lines)))
      (loop $each
        (local.set $base (i32.add (local.get $from) (i32.mul (i32.load (local.get $starts)) (local.get $pitch))))
        (local.set $x (i32.const 0))
        (loop $eight
          (local.set $low (local.get $half))
          (local.set $high (local.get $half))
          (local.set $at (i32.add (local.get $base) (i32.shl (local.get $x) (i32.const 1))))
          (local.set $w (local.get $weights))
          (local.set $k (local.get $pairs))
          (loop $taps
            (local.set $a (v128.load (local.get $at)))
            (local.set $b (v128.load (i32.add (local.get $at) (local.get $pitch))))
            (local.set $pair (v128.load32_splat (local.get $w)))
            (local.set $low (i32x4.add (local.get $low) (i32x4.dot_i16x8_s (local.get $pair)
              (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $a) (local.get $b)))))
            (local.set $high (i32x4.add (local.get $high) (i32x4.dot_i16x8_s (local.get $pair)
              (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $a) (local.get $b)))))
            (local.set $at (i32.add (local.get $at) (i32.shl (local.get $pitch) (i32.const 1))))
            (local.set $w (i32.add (local.get $w) (i32.const 4)))
            (local.set $k (i32.sub (local.get $k) (i32.const 1)))
            (br_if $taps (local.get $k)))
          (local.set $a (i16x8.narrow_i32x4_s
            (i32x4.shr_s (local.get $low) (local.get $shift))
            (i32x4.shr_s (local.get $high) (local.get $shift))))
          (if (local.get $bytes)
            (then (v128.store64_lane 0
              (i32.add (local.get $to) (local.get $x))
              (i8x16.narrow_i16x8_u (local.get $a) (local.get $a))))
            (else (v128.store (i32.add (local.get $to) (i32.shl (local.get $x) (i32.const 1))) (local.get $a))))
          (local.set $x (i32.add (local.get $x) (i32.const 8)))
          (br_if $eight (i32.lt_u (local.get $x) (local.get $samples))))
        (local.set $starts (i32.add (local.get $starts) (i32.const 4)))
        (local.set $weights (i32.add (local.get $weights) (i32.shl (local.get $pairs) (i32.const 2))))
        (local.set $to (i32.add (local.get $to) (local.get $toPitch)))
        (local.set $lines (i32.sub (local.get $lines) (i32.const 1)))
        (br_if $each (local.get $lines)))))

  ;; 16-bit: pixel x of line y to pixel y of line x; pixels have $channels samples.
  (func (export "transpose16")
    (param $from i32) (param $pitch i32) (param $width i32) (param $height i32) (param $channels i32)
    (param $to i32) (param $toPitch i32)
    (local $x i32) (local $y i32) (local $c i32) (local $source i32) (local $target i32) (local $pixel i32)
    (local.set $pixel (i32.shl (local.get $channels) (i32.const 1)))
    (block $none (br_if $none (i32.or (i32.eqz (local.get $width)) (i32.eqz (local.get $height))))
      (loop $lines
        (local.set $x (i32.const 0))
        (local.set $source (i32.add (local.get $from) (i32.mul (local.get $y) (local.get $pitch))))
        (local.set $target (i32.add (local.get $to) (i32.mul (local.get $y) (local.get $pixel))))
        (loop $pixels
          (local.set $c (i32.const 0))
          (loop $samples
            (i32.store16
              (i32.add (local.get $target) (local.get $c))
              (i32.load16_u (i32.add (local.get $source) (local.get $c))))
            (local.set $c (i32.add (local.get $c) (i32.const 2)))
            (br_if $samples (i32.lt_u (local.get $c) (local.get $pixel))))
          (local.set $source (i32.add (local.get $source) (local.get $pixel)))
          (local.set $target (i32.add (local.get $target) (local.get $toPitch)))
          (local.set $x (i32.add (local.get $x) (i32.const 1)))
          (br_if $pixels (i32.lt_u (local.get $x) (local.get $width))))
        (local.set $y (i32.add (local.get $y) (i32.const 1)))
        (br_if $lines (i32.lt_u (local.get $y) (local.get $height))))))

  ;; 8-bit: the same, to lines without gaps.
  (func (export "transpose8")
    (param $from i32) (param $pitch i32) (param $width i32) (param $height i32) (param $channels i32) (param $to i32)
    (local $x i32) (local $y i32) (local $c i32) (local $source i32) (local $target i32) (local $toPitch i32)
    (local.set $toPitch (i32.mul (local.get $height) (local.get $channels)))
    (block $none (br_if $none (i32.or (i32.eqz (local.get $width)) (i32.eqz (local.get $height))))
      (loop $lines
        (local.set $x (i32.const 0))
        (local.set $source (i32.add (local.get $from) (i32.mul (local.get $y) (local.get $pitch))))
        (local.set $target (i32.add (local.get $to) (i32.mul (local.get $y) (local.get $channels))))
        (loop $pixels
          (local.set $c (i32.const 0))
          (loop $samples
            (i32.store8
              (i32.add (local.get $target) (local.get $c))
              (i32.load8_u (i32.add (local.get $source) (local.get $c))))
            (local.set $c (i32.add (local.get $c) (i32.const 1)))
            (br_if $samples (i32.lt_u (local.get $c) (local.get $channels))))
          (local.set $source (i32.add (local.get $source) (local.get $channels)))
          (local.set $target (i32.add (local.get $target) (local.get $toPitch)))
          (local.set $x (i32.add (local.get $x) (i32.const 1)))
          (br_if $pixels (i32.lt_u (local.get $x) (local.get $width))))
        (local.set $y (i32.add (local.get $y) (i32.const 1)))
        (br_if $lines (i32.lt_u (local.get $y) (local.get $height)))))))
