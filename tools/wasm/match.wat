;; Sums for matching a masked template against a picture, 128-bit SIMD: `node tools/wasm/build.ts` assembles this into
;; src/detectors/icon/match-wasm.ts.
(module
  (memory (export "memory") 1)

  ;; Adds the four 32-bit lanes of $v, exactly.
  (func $lanes (param $v v128) (result f64)
    (local $pair v128)
    (local.set $pair (f64x2.add
      (f64x2.convert_low_i32x4_s (local.get $v))
      (f64x2.convert_low_i32x4_s (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $v) (local.get $v)))))
    (f64.add (f64x2.extract_lane 0 (local.get $pair)) (f64x2.extract_lane 1 (local.get $pair))))

  ;; For every position of the template's corner in $columns x $rows positions from $image on (8-bit levels, lines $pitch bytes
  ;; apart), a double to $out: the sum over the template's pixels of product * level. Products (weight, at most 31, times the template's
  ;; level) are 16-bit, $height lines of $eights vectors; padding is 0. Four positions are worked out at a time, beside the last ones
  ;; perhaps some that nobody asked for: reads up to 10 bytes past a line, writes up to 3 doubles past the end. Sums of 500 vectors fit
  ;; into 32 bits; a line's are not looked at before.
  (func (export "crosses")
    (param $image i32) (param $pitch i32) (param $columns i32) (param $rows i32)
    (param $products i32) (param $eights i32) (param $height i32) (param $out i32)
    (local $x i32) (local $line i32) (local $lines i32) (local $k i32) (local $room i32) (local $at i32) (local $p i32) (local $to i32)
    (local $product v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $sumA f64) (local $sumB f64) (local $sumC f64) (local $sumD f64)
    (loop $down
      (local.set $x (i32.const 0))
      (loop $across
        (local.set $sumA (f64.const 0))
        (local.set $sumB (f64.const 0))
        (local.set $sumC (f64.const 0))
        (local.set $sumD (f64.const 0))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (local.set $room (i32.const 500))
        (local.set $p (local.get $products))
        (local.set $line (i32.add (local.get $image) (local.get $x)))
        (local.set $lines (local.get $height))
        (loop $next
          (if (i32.lt_s (local.get $room) (local.get $eights)) (then
            (local.set $sumA (f64.add (local.get $sumA) (call $lanes (local.get $a))))
            (local.set $sumB (f64.add (local.get $sumB) (call $lanes (local.get $b))))
            (local.set $sumC (f64.add (local.get $sumC) (call $lanes (local.get $c))))
            (local.set $sumD (f64.add (local.get $sumD) (call $lanes (local.get $d))))
            (local.set $a (v128.const i32x4 0 0 0 0))
            (local.set $b (v128.const i32x4 0 0 0 0))
            (local.set $c (v128.const i32x4 0 0 0 0))
            (local.set $d (v128.const i32x4 0 0 0 0))
            (local.set $room (i32.const 500))))
          (local.set $room (i32.sub (local.get $room) (local.get $eights)))
          (local.set $k (local.get $eights))
          (local.set $at (local.get $line))
          (loop $vectors
            (local.set $product (v128.load (local.get $p)))
            (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_u (local.get $at)) (local.get $product))))
            (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_u offset=1 (local.get $at)) (local.get $product))))
            (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (v128.load8x8_u offset=2 (local.get $at)) (local.get $product))))
            (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (v128.load8x8_u offset=3 (local.get $at)) (local.get $product))))
            (local.set $at (i32.add (local.get $at) (i32.const 8)))
            (local.set $p (i32.add (local.get $p) (i32.const 16)))
            (br_if $vectors (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
          (local.set $line (i32.add (local.get $line) (local.get $pitch)))
          (br_if $next (local.tee $lines (i32.sub (local.get $lines) (i32.const 1)))))
        (local.set $to (i32.add (local.get $out) (i32.shl (local.get $x) (i32.const 3))))
        (f64.store (local.get $to) (f64.add (local.get $sumA) (call $lanes (local.get $a))))
        (f64.store offset=8 (local.get $to) (f64.add (local.get $sumB) (call $lanes (local.get $b))))
        (f64.store offset=16 (local.get $to) (f64.add (local.get $sumC) (call $lanes (local.get $c))))
        (f64.store offset=24 (local.get $to) (f64.add (local.get $sumD) (call $lanes (local.get $d))))
        (br_if $across (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 4))) (local.get $columns))))
      (local.set $image (i32.add (local.get $image) (local.get $pitch)))
      (local.set $out (i32.add (local.get $out) (i32.shl (local.get $columns) (i32.const 3))))
      (br_if $down (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; The same for the sums of weight * level, to $sums, and of weight * level * level, to $squares; two positions at a time.
  (func (export "moments")
    (param $image i32) (param $pitch i32) (param $columns i32) (param $rows i32)
    (param $weights i32) (param $eights i32) (param $height i32) (param $sums i32) (param $squares i32)
    (local $x i32) (local $line i32) (local $lines i32) (local $k i32) (local $room i32) (local $at i32) (local $w i32) (local $to i32)
    (local $weight v128) (local $level v128) (local $a v128) (local $b v128) (local $aa v128) (local $bb v128)
    (local $sumA f64) (local $sumB f64) (local $squareA f64) (local $squareB f64)
    (loop $down
      (local.set $x (i32.const 0))
      (loop $across
        (local.set $sumA (f64.const 0))
        (local.set $sumB (f64.const 0))
        (local.set $squareA (f64.const 0))
        (local.set $squareB (f64.const 0))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $aa (v128.const i32x4 0 0 0 0))
        (local.set $bb (v128.const i32x4 0 0 0 0))
        (local.set $room (i32.const 500))
        (local.set $w (local.get $weights))
        (local.set $line (i32.add (local.get $image) (local.get $x)))
        (local.set $lines (local.get $height))
        (loop $next
          (if (i32.lt_s (local.get $room) (local.get $eights)) (then
            (local.set $sumA (f64.add (local.get $sumA) (call $lanes (local.get $a))))
            (local.set $sumB (f64.add (local.get $sumB) (call $lanes (local.get $b))))
            (local.set $squareA (f64.add (local.get $squareA) (call $lanes (local.get $aa))))
            (local.set $squareB (f64.add (local.get $squareB) (call $lanes (local.get $bb))))
            (local.set $a (v128.const i32x4 0 0 0 0))
            (local.set $b (v128.const i32x4 0 0 0 0))
            (local.set $aa (v128.const i32x4 0 0 0 0))
            (local.set $bb (v128.const i32x4 0 0 0 0))
            (local.set $room (i32.const 500))))
          (local.set $room (i32.sub (local.get $room) (local.get $eights)))
          (local.set $k (local.get $eights))
          (local.set $at (local.get $line))
          (loop $vectors
            (local.set $weight (v128.load (local.get $w)))
            (local.set $level (v128.load8x8_u (local.get $at)))
            (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (local.get $level) (local.get $weight))))
            (local.set $aa (i32x4.add (local.get $aa)
              (i32x4.dot_i16x8_s (local.get $level) (i16x8.mul (local.get $level) (local.get $weight)))))
            (local.set $level (v128.load8x8_u offset=1 (local.get $at)))
            (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (local.get $level) (local.get $weight))))
            (local.set $bb (i32x4.add (local.get $bb)
              (i32x4.dot_i16x8_s (local.get $level) (i16x8.mul (local.get $level) (local.get $weight)))))
            (local.set $at (i32.add (local.get $at) (i32.const 8)))
            (local.set $w (i32.add (local.get $w) (i32.const 16)))
            (br_if $vectors (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
          (local.set $line (i32.add (local.get $line) (local.get $pitch)))
          (br_if $next (local.tee $lines (i32.sub (local.get $lines) (i32.const 1)))))
        (local.set $to (i32.shl (local.get $x) (i32.const 3)))
        (f64.store (i32.add (local.get $sums) (local.get $to)) (f64.add (local.get $sumA) (call $lanes (local.get $a))))
        (f64.store offset=8 (i32.add (local.get $sums) (local.get $to)) (f64.add (local.get $sumB) (call $lanes (local.get $b))))
        (f64.store (i32.add (local.get $squares) (local.get $to)) (f64.add (local.get $squareA) (call $lanes (local.get $aa))))
        (f64.store offset=8 (i32.add (local.get $squares) (local.get $to)) (f64.add (local.get $squareB) (call $lanes (local.get $bb))))
        (br_if $across (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 2))) (local.get $columns))))
      (local.set $image (i32.add (local.get $image) (local.get $pitch)))
      (local.set $sums (i32.add (local.get $sums) (i32.shl (local.get $columns) (i32.const 3))))
      (local.set $squares (i32.add (local.get $squares) (i32.shl (local.get $columns) (i32.const 3))))
      (br_if $down (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; Takes $count pixels of three bytes each apart into three planes. Reads up to 45 bytes past the pixels, writes up to 15 past a plane.
  (func (export "split") (param $from i32) (param $count i32) (param $red i32) (param $green i32) (param $blue i32)
    (local $p v128) (local $q v128) (local $r v128)
    (loop $next
      (local.set $p (v128.load (local.get $from)))
      (local.set $q (v128.load offset=16 (local.get $from)))
      (local.set $r (v128.load offset=32 (local.get $from)))
      (v128.store (local.get $red) (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 17 20 23 26 29
        (i8x16.shuffle 0 3 6 9 12 15 18 21 24 27 30 0 0 0 0 0 (local.get $p) (local.get $q)) (local.get $r)))
      (v128.store (local.get $green) (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 18 21 24 27 30
        (i8x16.shuffle 1 4 7 10 13 16 19 22 25 28 31 0 0 0 0 0 (local.get $p) (local.get $q)) (local.get $r)))
      (v128.store (local.get $blue) (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 16 19 22 25 28 31
        (i8x16.shuffle 2 5 8 11 14 17 20 23 26 29 0 0 0 0 0 0 (local.get $p) (local.get $q)) (local.get $r)))
      (local.set $from (i32.add (local.get $from) (i32.const 48)))
      (local.set $red (i32.add (local.get $red) (i32.const 16)))
      (local.set $green (i32.add (local.get $green) (i32.const 16)))
      (local.set $blue (i32.add (local.get $blue) (i32.const 16)))
      (br_if $next (i32.gt_s (local.tee $count (i32.sub (local.get $count) (i32.const 16))) (i32.const 0)))))

  ;; Halves a plane in both directions: means of 2 x 2 levels, halves upwards, $columns x $rows of them, without gaps between lines. Reads up
  ;; to 14 bytes past a line, writes up to 7 past the end.
  (func (export "halve") (param $from i32) (param $pitch i32) (param $columns i32) (param $rows i32) (param $to i32)
    (local $x i32) (local $at i32) (local $sum v128)
    (loop $down
      (local.set $x (i32.const 0))
      (loop $across
        (local.set $at (i32.add (local.get $from) (i32.shl (local.get $x) (i32.const 1))))
        (local.set $sum (i16x8.add
          (i16x8.extadd_pairwise_i8x16_u (v128.load (local.get $at)))
          (i16x8.extadd_pairwise_i8x16_u (v128.load (i32.add (local.get $at) (local.get $pitch))))))
        (local.set $sum (i16x8.shr_u (i16x8.add (local.get $sum) (v128.const i16x8 2 2 2 2 2 2 2 2)) (i32.const 2)))
        (v128.store64_lane 0 (i32.add (local.get $to) (local.get $x)) (i8x16.narrow_i16x8_u (local.get $sum) (local.get $sum)))
        (br_if $across (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 8))) (local.get $columns))))
      (local.set $from (i32.add (local.get $from) (i32.shl (local.get $pitch) (i32.const 1))))
      (local.set $to (i32.add (local.get $to) (local.get $columns)))
      (br_if $down (local.tee $rows (i32.sub (local.get $rows) (i32.const 1)))))))
