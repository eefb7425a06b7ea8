// expect: assertions holds
// expect: end states holds
// expect: never_both holds
// expect: pedestrians_served holds
// expect: yellow_before_red holds
// expect: served_at_once violated
// states: plain 10 default 10
//
// A crossing with a light for cars and one for pedestrians, who press a button. The controller goes through its
// phases and serves a request at the end of the green phase.
//
// To be seen: properties of the usual kinds. Safety: never green for both. Response: a pressed button leads to
// a walk. Precedence: the cars' light is yellow before it is red. And one that asks too much.
//
//   probity check examples/traffic_light.pml

mtype = { green, yellow, red };

mtype cars = green;
mtype walkers = red;
bool pressed;

active proctype controller()
{
    do
    :: cars = green;
       if
       :: pressed -> cars = yellow;
          cars = red;
          atomic { walkers = green; pressed = false };
          walkers = red
       :: else
       fi
    od
}

active proctype pedestrian()
{
end:
    do
    :: atomic { !pressed && walkers == red -> pressed = true }
    od
}

ltl never_both { [] !(cars == green && walkers == green) }
ltl pedestrians_served { [] (pressed -> <> (walkers == green)) }
ltl yellow_before_red { [] (cars == green -> ((cars != red) W (cars == yellow))) }
ltl served_at_once { [] (pressed -> (cars != green U walkers == green)) }
