;; Box filter from a plane of 8-bit levels to a small picture of 32-bit floats, 128-bit SIMD: `node tools/wasm/build.ts` assembles
;; this into src/detectors/text/box-wasm.ts.
(module
  (memory (export "memory") 1)

  ;; Weighted means of lines: line y of $out is the sum over k < count[y] of weights[y][k] * line (first[y] + k) of $src, in
  ;; $blocks blocks of eight columns. Lines of $src are $pitch bytes apart, those of $out 32 * $blocks; weights are floats, $stride
  ;; bytes from one line's to the next's.
  (func (export "down")
    (param $src i32) (param $pitch i32) (param $blocks i32)
    (param $first i32) (param $count i32) (param $weights i32) (param $stride i32) (param $height i32) (param $out i32)
    (local $line i32) (local $block i32) (local $at i32) (local $w i32) (local $k i32)
    (local $levels v128) (local $weight v128) (local $low v128) (local $high v128)
    (loop $lines
      (local.set $line (i32.add (local.get $src) (i32.mul (i32.load (local.get $first)) (local.get $pitch))))
      (local.set $block (local.get $blocks))
      (loop $columns
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $line))
        (local.set $w (local.get $weights))
        (local.set $k (i32.load (local.get $count)))
        (loop $taps
          (local.set $levels (v128.load8x8_u (local.get $at)))
          (local.set $weight (v128.load32_splat (local.get $w)))
          (local.set $low (f32x4.add (local.get $low)
            (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $levels))) (local.get $weight))))
          (local.set $high (f32x4.add (local.get $high)
            (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $levels))) (local.get $weight))))
          (local.set $at (i32.add (local.get $at) (local.get $pitch)))
          (local.set $w (i32.add (local.get $w) (i32.const 4)))
          (br_if $taps (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
        (v128.store (local.get $out) (local.get $low))
        (v128.store offset=16 (local.get $out) (local.get $high))
        (local.set $out (i32.add (local.get $out) (i32.const 32)))
        (local.set $line (i32.add (local.get $line) (i32.const 8)))
        (br_if $columns (local.tee $block (i32.sub (local.get $block) (i32.const 1)))))
      (local.set $first (i32.add (local.get $first) (i32.const 4)))
      (local.set $count (i32.add (local.get $count) (i32.const 4)))
      (local.set $weights (i32.add (local.get $weights) (local.get $stride)))
      (br_if $lines (local.tee $height (i32.sub (local.get $height) (i32.const 1))))))

  ;; Adds to each float of $out ($height lines of $width, without gaps) $scale times the weighted mean of neighbours in its line of
  ;; $src: the sum over k < count[x] of weights[x][k] * sample first[x] + k. Lines of $src are $pitch bytes apart, a multiple of 16; four
  ;; of them, of which the last may lie behind the others in memory that means nothing, are woven together in $scratch, where
  ;; sample 0 would be at $zero, and filtered at once, each in double precision.
  (func (export "across")
    (param $src i32) (param $pitch i32)
    (param $first i32) (param $count i32) (param $weights i32) (param $stride i32) (param $width i32) (param $height i32)
    (param $out i32) (param $scale f64) (param $scratch i32) (param $zero i32)
    (local $x i32) (local $at i32) (local $w i32) (local $k i32) (local $row i32) (local $to i32) (local $step i32)
    (local $rows i32) (local $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $p v128) (local $q v128)
    (local $low v128) (local $high v128) (local $weight v128)
    (local.set $step (i32.shl (local.get $width) (i32.const 2)))
    (local.set $rows (local.get $height))
    (loop $fours
      (local.set $at (local.get $src))
      (local.set $end (i32.add (local.get $src) (local.get $pitch)))
      (local.set $to (local.get $scratch))
      (loop $weave
        (local.set $a (v128.load (local.get $at)))
        (local.set $b (v128.load (local.tee $k (i32.add (local.get $at) (local.get $pitch)))))
        (local.set $c (v128.load (local.tee $k (i32.add (local.get $k) (local.get $pitch)))))
        (local.set $d (v128.load (i32.add (local.get $k) (local.get $pitch))))
        (local.set $p (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b)))
        (local.set $q (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d)))
        (v128.store (local.get $to)
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $p) (local.get $q)))
        (v128.store offset=16 (local.get $to)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $p) (local.get $q)))
        (local.set $p (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b)))
        (local.set $q (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d)))
        (v128.store offset=32 (local.get $to)
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $p) (local.get $q)))
        (v128.store offset=48 (local.get $to)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $p) (local.get $q)))
        (local.set $to (i32.add (local.get $to) (i32.const 64)))
        (br_if $weave (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
      (local.set $x (i32.const 0))
      (local.set $row (local.get $weights))
      (loop $columns
        (local.set $at (i32.add (local.get $zero)
          (i32.shl (i32.load (i32.add (local.get $first) (i32.shl (local.get $x) (i32.const 2)))) (i32.const 4))))
        (local.set $k (i32.load (i32.add (local.get $count) (i32.shl (local.get $x) (i32.const 2)))))
        (local.set $w (local.get $row))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (loop $taps
          (local.set $p (v128.load (local.get $at)))
          (local.set $weight (f64x2.promote_low_f32x4 (v128.load32_splat (local.get $w))))
          (local.set $low (f64x2.add (local.get $low)
            (f64x2.mul (f64x2.promote_low_f32x4 (local.get $p)) (local.get $weight))))
          (local.set $high (f64x2.add (local.get $high)
            (f64x2.mul (f64x2.promote_low_f32x4
              (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $p) (local.get $p))) (local.get $weight))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $w (i32.add (local.get $w) (i32.const 4)))
          (br_if $taps (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
        (local.set $low (f64x2.mul (local.get $low) (f64x2.splat (local.get $scale))))
        (local.set $high (f64x2.mul (local.get $high) (f64x2.splat (local.get $scale))))
        (local.set $to (i32.add (local.get $out) (i32.shl (local.get $x) (i32.const 2))))
        (f32.store (local.get $to) (f32.demote_f64
          (f64.add (f64.promote_f32 (f32.load (local.get $to))) (f64x2.extract_lane 0 (local.get $low)))))
        (block $stored
          (br_if $stored (i32.le_u (local.get $rows) (i32.const 1)))
          (local.set $to (i32.add (local.get $to) (local.get $step)))
          (f32.store (local.get $to) (f32.demote_f64
            (f64.add (f64.promote_f32 (f32.load (local.get $to))) (f64x2.extract_lane 1 (local.get $low)))))
          (br_if $stored (i32.le_u (local.get $rows) (i32.const 2)))
          (local.set $to (i32.add (local.get $to) (local.get $step)))
          (f32.store (local.get $to) (f32.demote_f64
            (f64.add (f64.promote_f32 (f32.load (local.get $to))) (f64x2.extract_lane 0 (local.get $high)))))
          (br_if $stored (i32.le_u (local.get $rows) (i32.const 3)))
          (local.set $to (i32.add (local.get $to) (local.get $step)))
          (f32.store (local.get $to) (f32.demote_f64
            (f64.add (f64.promote_f32 (f32.load (local.get $to))) (f64x2.extract_lane 1 (local.get $high))))))
        (local.set $row (i32.add (local.get $row) (local.get $stride)))
        (br_if $columns (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1))) (local.get $width))))
      (local.set $src (i32.add (local.get $src) (i32.shl (local.get $pitch) (i32.const 2))))
      (local.set $out (i32.add (local.get $out) (i32.shl (local.get $step) (i32.const 2))))
      (br_if $fours (i32.gt_s (local.tee $rows (i32.sub (local.get $rows) (i32.const 4))) (i32.const 0))))))
