byte x; chan q = [1] of { byte };
proctype P() { skip }
init { np_; enabled(0); pc_value(0) } // error: [claim.np] warning: [claim.only] warning: [claim.only]
never same { x = 1; q!1; run P() } // warning: [claim.assignment] error: [claim.io] error: [claim.run]
never same { skip } // error: [name.redeclared]
