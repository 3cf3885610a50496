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
  ;; apart), three doubles to $out: the sums over the template's pixels of product * level, weight * level, and
  ;; weight * level * level. Weights (at most 31) and products (weight * the template's level) are 16-bit, $height lines of
  ;; $eights vectors; padding has weight and product 0. Reads up to 7 bytes past a line. Sums of 500 vectors fit into 32 bits; a
  ;; line's are not looked at before.
  (func (export "scan")
    (param $image i32) (param $pitch i32) (param $columns i32) (param $rows i32)
    (param $weights i32) (param $products i32) (param $eights i32) (param $height i32) (param $out i32)
    (local $x i32) (local $line i32) (local $k i32) (local $room i32) (local $at i32) (local $w i32) (local $p i32)
    (local $level v128) (local $weight v128) (local $cross v128) (local $sum v128) (local $square v128)
    (local $crosses f64) (local $sums f64) (local $squares f64)
    (loop $down
      (local.set $x (i32.const 0))
      (loop $across
        (local.set $crosses (f64.const 0))
        (local.set $sums (f64.const 0))
        (local.set $squares (f64.const 0))
        (local.set $cross (v128.const i32x4 0 0 0 0))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $square (v128.const i32x4 0 0 0 0))
        (local.set $room (i32.const 500))
        (local.set $w (local.get $weights))
        (local.set $p (local.get $products))
        (local.set $line (i32.const 0))
        (loop $lines
          (local.set $at (i32.add (i32.add (local.get $image) (local.get $x)) (i32.mul (local.get $line) (local.get $pitch))))
          (if (i32.lt_s (local.get $room) (local.get $eights)) (then
            (local.set $crosses (f64.add (local.get $crosses) (call $lanes (local.get $cross))))
            (local.set $sums (f64.add (local.get $sums) (call $lanes (local.get $sum))))
            (local.set $squares (f64.add (local.get $squares) (call $lanes (local.get $square))))
            (local.set $cross (v128.const i32x4 0 0 0 0))
            (local.set $sum (v128.const i32x4 0 0 0 0))
            (local.set $square (v128.const i32x4 0 0 0 0))
            (local.set $room (i32.const 500))))
          (local.set $room (i32.sub (local.get $room) (local.get $eights)))
          (local.set $k (local.get $eights))
          (loop $vectors
            (local.set $level (v128.load8x8_u (local.get $at)))
            (local.set $weight (v128.load (local.get $w)))
            (local.set $cross (i32x4.add (local.get $cross) (i32x4.dot_i16x8_s (local.get $level) (v128.load (local.get $p)))))
            (local.set $sum (i32x4.add (local.get $sum) (i32x4.dot_i16x8_s (local.get $level) (local.get $weight))))
            (local.set $square (i32x4.add (local.get $square)
              (i32x4.dot_i16x8_s (local.get $level) (i16x8.mul (local.get $level) (local.get $weight)))))
            (local.set $at (i32.add (local.get $at) (i32.const 8)))
            (local.set $w (i32.add (local.get $w) (i32.const 16)))
            (local.set $p (i32.add (local.get $p) (i32.const 16)))
            (local.set $k (i32.sub (local.get $k) (i32.const 1)))
            (br_if $vectors (local.get $k)))
          (local.set $line (i32.add (local.get $line) (i32.const 1)))
          (br_if $lines (i32.lt_u (local.get $line) (local.get $height))))
        (local.set $crosses (f64.add (local.get $crosses) (call $lanes (local.get $cross))))
        (local.set $sums (f64.add (local.get $sums) (call $lanes (local.get $sum))))
        (local.set $squares (f64.add (local.get $squares) (call $lanes (local.get $square))))
        (f64.store (local.get $out) (local.get $crosses))
        (f64.store offset=8 (local.get $out) (local.get $sums))
        (f64.store offset=16 (local.get $out) (local.get $squares))
        (local.set $out (i32.add (local.get $out) (i32.const 24)))
        (local.set $x (i32.add (local.get $x) (i32.const 1)))
        (br_if $across (i32.lt_u (local.get $x) (local.get $columns))))
      (local.set $image (i32.add (local.get $image) (local.get $pitch)))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
      (br_if $down (local.get $rows)))))
